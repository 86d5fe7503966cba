package dev.weft.pvfs.mount;

/** Lets a signal of the process that asks interrupt this thread, as long as it waits for that process, and not behind that. */
final class Interruption implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private boolean isOver;
  private boolean hasCome;

  /** The signal; on any thread. */
  synchronized void come() {
    if (!isOver) {
      hasCome = true;
      thread.interrupt();
    }
  }

  /** The thread has waited: it goes on to what others ask, and is not interrupted. */
  @Override
  public synchronized void close() {
    isOver = true;
    if (hasCome) {
      Thread.interrupted();
    }
  }
}
