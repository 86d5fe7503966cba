package dev.weft.fabric.dispatch;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** What Akka gets of an executor with a thread of its own. Akka shuts it down when no actor has used it for a while, and makes another. */
public final class RoleExecutor extends AbstractExecutorService {
  private final Executor executor;
  private final Runnable end;
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
  private volatile boolean shutdown;

  /** {@code end} is called once: what was given before still runs. */
  public RoleExecutor(Executor executor, Runnable end) {
    this.executor = executor;
    this.end = end;
  }

  @Override
  public void execute(Runnable task) {
    // What is let in before the end runs; without this it could come when the thread has looked for the last time.
    gate.readLock().lock();
    try {
      if (shutdown) {
        throw new RejectedExecutionException("the executor is shut down");
      }
      executor.execute(task);
    } finally {
      gate.readLock().unlock();
    }
  }

  @Override
  public void shutdown() {
    gate.writeLock().lock();
    try {
      if (!shutdown) {
        shutdown = true;
        end.run();
      }
    } finally {
      gate.writeLock().unlock();
    }
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown();
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return shutdown;
  }
}
