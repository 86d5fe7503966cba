package dev.weft.fabric.dispatch;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Akka's view of an executor with a thread of its own. Akka shuts it down if no actor has used it for a while, and makes a new one when an
 * actor needs it again.
 */
public final class RoleExecutor extends AbstractExecutorService {
  private final Executor executor;
  private final Runnable end;
  private final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
  private volatile boolean shutdown;

  /** The shutdown calls {@code end} once; earlier tasks still run. */
  public RoleExecutor(Executor executor, Runnable end) {
    this.executor = executor;
    this.end = end;
  }

  @Override
  public void execute(Runnable task) {
    // The lock makes sure that an accepted task runs. Without it, a task could come after the thread's last look at the queue.
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
