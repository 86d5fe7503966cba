package dev.weft.fabric.dispatch;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The view of the hardware dispatcher that Akka gets. Akka shuts it down if no actor has used it for a while, and makes a new
 * one when an actor needs it again. The dispatcher itself lives until the last view is gone. Once {@link HardwareDispatcher#of}
 * has returned it, it lives until the actor system ends.
 */
final class HardwareExecutor extends AbstractExecutorService {
  private final HardwareDispatcher dispatcher;
  private volatile boolean shutdown;

  HardwareExecutor(HardwareDispatcher dispatcher) {
    this.dispatcher = dispatcher;
  }

  @Override
  public void execute(Runnable task) {
    if (shutdown) {
      throw new RejectedExecutionException("the hardware executor is shut down");
    }
    dispatcher.execute(task);
  }

  @Override
  public void shutdown() {
    synchronized (this) {
      if (shutdown) {
        return;
      }
      shutdown = true;
    }
    HardwareDispatchers.release(dispatcher);
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
    return shutdown && dispatcher.isTerminated();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return dispatcher.awaitTermination(unit.toNanos(timeout));
  }
}
