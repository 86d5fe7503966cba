package dev.weft.fabric.time;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread that runs on the simulation's own thread, so that handing the baton over costs no switch of threads by the kernel. The JDK lets a
 * program choose where a virtual thread runs only by reflection, for which {@code --add-opens=java.base/java.lang=ALL-UNNAMED} is needed.
 */
final class CarriedThread implements Executor {
  /** Other threads hold the monitors of the JDK's own data for an instant; a busy machine makes that long. */
  private static final int MONITOR_PATIENCE_S = 20;

  /** Of virtual threads, and their executor; null where this JVM does not open it. */
  private static final Constructor<?> BUILDER = find();

  private final Thread thread;
  /** What goes on with the thread when it runs; null if it has nothing to do. */
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

  /** Whether this JVM lets threads be carried; otherwise they are platform threads. */
  static boolean isPossible() {
    return BUILDER != null;
  }

  Thread thread() {
    return thread;
  }

  /** The thread can go on. Called by the JDK, by a thread of its own where a monitor has become free. */
  @Override
  public void execute(Runnable next) {
    turn = next;
    if (isTurnAwaited) {
      came.release();
    }
  }

  /**
   * Runs the thread on the calling thread until it waits or ends. Where it waits for a monitor that a thread outside the simulation holds, as those of
   * the JDK's own data, this waits for that monitor, too: no virtual time passes.
   *
   * @return false if it cannot go on: nobody has released what it waits for
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
