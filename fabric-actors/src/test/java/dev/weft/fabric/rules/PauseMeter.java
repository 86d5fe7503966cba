package dev.weft.fabric.rules;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How long this JVM got no processor: by how much short sleeps of a thread were too long, altogether. A test that tells what is lost from what is late takes
 * it off: no defect of Weft makes it longer. Any thread.
 */
public final class PauseMeter implements AutoCloseable {
  private static final long SLEEP_NS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Thread sleeper = Thread.ofPlatform().daemon().name("pause-meter").unstarted(this::run);
  private long totalNs; // guarded by this
  private long sleptNs = System.nanoTime(); // guarded by this: when the last sleep began
  private volatile boolean isOver;

  public PauseMeter() {
    sleeper.start();
  }

  private void run() {
    while (!isOver) {
      LockSupport.parkNanos(SLEEP_NS);
      synchronized (this) {
        totalNs = pausedNs();
        sleptNs = System.nanoTime();
      }
    }
  }

  /** Nanoseconds since the start, the pause that is just under way among them. */
  public synchronized long pausedNs() {
    return totalNs + Math.max(0, System.nanoTime() - sleptNs - 2 * SLEEP_NS);
  }

  @Override
  public void close() {
    isOver = true;
    LockSupport.unpark(sleeper);
  }
}
