package dev.weft.fabric.rules;

/**
 * Runs tasks of tests at the same time. The pool that {@code CompletableFuture} takes by itself has one thread on a machine with two processors, so that a
 * task that waits there keeps the next one from beginning.
 */
public final class OwnThread {
  private OwnThread() {}

  /** Begins a task on a thread of its own, which does not keep the JVM alive; for {@code CompletableFuture.runAsync(task, OwnThread::run)}. */
  public static void run(Runnable task) {
    Thread.ofPlatform().daemon().name("test-task").start(task);
  }
}
