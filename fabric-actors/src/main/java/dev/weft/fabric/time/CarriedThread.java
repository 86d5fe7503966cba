package dev.weft.fabric.time;

import java.lang.reflect.Constructor;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread that runs on the simulation's own thread, so that handing the baton over costs no switch of threads by the kernel. The JDK lets a
 * program choose where a virtual thread runs only by reflection, for which {@code --add-opens=java.base/java.lang=ALL-UNNAMED} is needed.
 */
final class CarriedThread implements Executor {
  /** Of virtual threads, and their executor; null where this JVM does not open it. */
  private static final Constructor<?> BUILDER = find();

  private final Thread thread;
  /** What goes on with the thread when it runs; null if it has nothing to do. */
  private volatile Runnable turn;
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

  /** The thread can go on. Called by the JDK. */
  @Override
  public void execute(Runnable next) {
    turn = next;
  }

  /**
   * Runs the thread on the calling thread until it waits or ends.
   *
   * @return false if it cannot go on: it waits for something else than its turn
   */
  boolean run() {
    if (!isStarted) {
      isStarted = true;
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
    Runnable next = turn;
    turn = null;
    if (next != null) {
      next.run();
    }
    return next != null;
  }
}
