package dev.weft.service;

import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/**
 * The command that waits for the result of {@link Running#answer(java.util.List, Asker)}. The command itself opens the files and descriptors that its
 * user names; their bytes pass through {@link #input} and {@link #output}.
 */
@FunctionalInterface
public interface Asker {
  /**
   * Sets the action that runs if the command ends (for example, if it is killed) before it has its answer. For long requests that are useless without
   * the command. A later call replaces the action. Do not use it together with {@link #input}.
   *
   * @param action called at most once, on a separate thread; it may run while the answer is being sent; must not throw
   */
  void whenGone(Runnable action);

  /** The data that the command sends after its request. Reading fails if the command ends before it has sent everything. */
  default ReadableByteChannel input() {
    throw new IllegalStateException("this command sends no data after its request");
  }

  /** Carries data to the command, before the answer. Writing fails if the command has ended. */
  default WritableByteChannel output() {
    throw new IllegalStateException("this command receives no data before its answer");
  }
}
