package dev.weft.fabric.time;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread that runs on the simulation's own thread, so that handing the baton over costs no thread switch by the kernel. A program can choose
 * the executor of a virtual thread only by reflection, which needs {@code --add-opens=java.base/java.lang=ALL-UNNAMED}.
 */
final class CarriedThread implements Executor {
  /** Longest wait for a monitor. Other threads hold the monitors of the JDK's own data only for an instant, but on a busy machine that can be long. */
  private static final int MONITOR_PATIENCE_S = 20;

  /** Constructor of the builder of virtual threads with their executor; null if this JVM does not open it. */
  private static final Constructor<?> BUILDER = find();

  private final Thread thread;
  /** Continues the thread; null if the thread cannot run. */
  private volatile Runnable turn;
  private volatile boolean isTurnAwaited;
  private final Semaphore came = new Semaphore(0);
  private boolean isStarted;

  CarriedThread(String name, Runnable body) {
    try {
      thread = ((Thread.Builder.OfVirtual) BUILDER.newInstance(this)).name(name).unstarted(body);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Constructor<?> find() {
    try {
      Constructor<?> found = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder").getDeclaredConstructor(Executor.class);
      return found.trySetAccessible() ? found : null;
    } catch (ReflectiveOperationException anotherJdk) {
      return null;
    }
  }

  /** Whether this JVM allows carried threads. */
  static boolean isPossible() {
    return BUILDER != null;
  }

  Thread thread() {
    return thread;
  }

  /** Takes a task that continues the thread. The JDK calls this, on a thread of its own if a monitor has become free. */
  @Override
  public void execute(Runnable next) {
    turn = next;
    if (isTurnAwaited) {
      came.release();
    }
  }

  /**
   * Runs the thread on the calling thread until it waits or ends. If it waits for a monitor that a thread outside the simulation holds, such as one of
   * the JDK's own data, this waits for that monitor, too. No virtual time passes meanwhile.
   *
   * @return false if the thread cannot continue, because what it waits for was not released
   */
  boolean run() {
    if (!isStarted) {
      isStarted = true;
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
    if (turn == null) {
      awaitMonitor();
    }
    Runnable next = turn;
    turn = null;
    if (next != null) {
      next.run();
    }
    return next != null;
  }

  private void awaitMonitor() {
    isTurnAwaited = true;
    try {
      if (turn == null) {
        boolean _ = came.tryAcquire(MONITOR_PATIENCE_S, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      isTurnAwaited = false;
      came.drainPermits();
    }
  }
}
