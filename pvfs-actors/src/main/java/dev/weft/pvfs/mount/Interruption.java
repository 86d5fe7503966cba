package dev.weft.pvfs.mount;

/** Lets a signal to the calling process interrupt this thread while it waits for that process, and not later. */
final class Interruption implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private boolean isOver;
  private boolean hasCome;

  /** The signal has arrived; on any thread. */
  synchronized void come() {
    if (!isOver) {
      hasCome = true;
      thread.interrupt();
    }
  }

  /** The wait has ended: removes the interrupt, since the thread goes on to other requests. */
  @Override
  public synchronized void close() {
    isOver = true;
    if (hasCome) {
      Thread.interrupted();
    }
  }
}
