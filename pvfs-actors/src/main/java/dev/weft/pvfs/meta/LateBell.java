package dev.weft.pvfs.meta;

import java.util.concurrent.locks.LockSupport;

/** Rings a moment after it was asked to, once for all who asked meanwhile: for what nobody waits for. Has a thread of its own from the first time on. */
final class LateBell implements AutoCloseable {
  private final Runnable ring;
  private final long afterNs;
  private volatile boolean isWanted;
  private volatile boolean isClosed;
  private volatile Thread thread;

  /**
   * One that has not been asked.
   *
   * @param ring on the bell's thread; must not throw
   */
  LateBell(Runnable ring, long afterNs) {
    this.ring = ring;
    this.afterNs = afterNs;
  }

  /** It is to ring. Any thread. */
  void want() {
    if (!isWanted) {
      isWanted = true;
      LockSupport.unpark(thread());
    }
  }

  private Thread thread() {
    return thread == null ? start() : thread;
  }

  private synchronized Thread start() {
    if (thread == null) {
      thread = Thread.ofPlatform().daemon().name("pvfs-late-bell").start(this::run);
    }
    return thread;
  }

  private void run() {
    while (!isClosed) {
      if (isWanted) {
        LockSupport.parkNanos(afterNs);
        isWanted = false; // Before it rings: who comes from here on has it ring once more.
        if (!isClosed) {
          ring.run();
        }
      } else {
        LockSupport.park(this);
      }
    }
  }

  /** It rings no more. */
  @Override
  public void close() {
    isClosed = true;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }
}
