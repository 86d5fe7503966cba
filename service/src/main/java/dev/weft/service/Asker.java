package dev.weft.service;

import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * The command that waits for an answer of {@link Running#answer(java.util.List, Asker)}. The command itself opens the files and descriptors that its user
 * has named; their bytes pass through {@link #input} and {@link #output}.
 */
@FunctionalInterface
public interface Asker {
  /**
   * For what takes long, and is of no use to anybody else: says what to do when the command goes before it has its answer, as one does that is killed. What
   * was asked for before is not done then. Not beside {@link #input}.
   *
   * @param action called at most once, on a thread of its own, perhaps just as the answer is given; must not throw
   */
  void whenGone(Runnable action);

  /** What the command sends behind its request, to the end; reading fails if the command goes before it has sent everything. */
  default ReadableByteChannel input() {
    throw new IllegalStateException("this command sends nothing behind its request");
  }

  /** Takes bytes to the command, before the answer; writing fails if the command has gone. */
  default WritableByteChannel output() {
    throw new IllegalStateException("this command takes nothing before its answer");
  }
}
