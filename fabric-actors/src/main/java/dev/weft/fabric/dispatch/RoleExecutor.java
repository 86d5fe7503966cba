package dev.weft.fabric.dispatch;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/** What Akka gets of an executor with a thread of its own. Akka shuts it down when no actor has used it for a while, and makes another. */
public final class RoleExecutor extends AbstractExecutorService {
  private final Executor executor;
  private final Runnable end;
  private volatile boolean shutdown;

  /** {@code end} is called once: what was given before still runs. */
  public RoleExecutor(Executor executor, Runnable end) {
    this.executor = executor;
    this.end = end;
  }

  @Override
  public void execute(Runnable task) {
    if (shutdown) {
      throw new RejectedExecutionException("the executor is shut down");
    }
    executor.execute(task);
  }

  @Override
  public void shutdown() {
    synchronized (this) {
      if (shutdown) {
        return;
      }
      shutdown = true;
    }
    end.run();
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
