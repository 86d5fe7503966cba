package dev.weft.hca.netvm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Creates segments that carry only addresses. They belong to a thread that has ended, so no thread can read through them. */
final class MemoryNames implements Runnable {
  private MemorySegment everything;

  /** Runs on the thread that then ends. */
  @Override
  public void run() {
    everything = MemorySegment.NULL.reinterpret(Long.MAX_VALUE, Arena.ofConfined(), null);
  }

  static MemoryNames create() {
    MemoryNames names = new MemoryNames();
    Thread owner = Thread.ofPlatform().name("weft-memory-names").start(names);
    boolean interrupted = false;
    while (owner.isAlive()) {
      try {
        owner.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return names;
  }

  MemorySegment name(long address, long bytes) {
    return everything.asSlice(address, bytes);
  }
}
