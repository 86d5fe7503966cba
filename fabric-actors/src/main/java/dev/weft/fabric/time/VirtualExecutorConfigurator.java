package dev.weft.fabric.time;

import akka.dispatch.DispatcherPrerequisites;
import akka.dispatch.ExecutorServiceConfigurator;
import akka.dispatch.ExecutorServiceFactory;
import com.typesafe.config.Config;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Makes Akka run a dispatcher's mailboxes in virtual time. Named by configuration; needs {@link VirtualScheduler}. */
public final class VirtualExecutorConfigurator extends ExecutorServiceConfigurator {
  private final VirtualTime time;

  /** Called by Akka. */
  public VirtualExecutorConfigurator(Config config, DispatcherPrerequisites prerequisites) {
    super(config, prerequisites);
    if (!(prerequisites.scheduler() instanceof VirtualScheduler scheduler)) {
      throw new IllegalArgumentException(
          "the virtual executor needs akka.scheduler.implementation = " + VirtualScheduler.class.getName() + ", but it is "
              + prerequisites.scheduler().getClass().getName());
    }
    this.time = scheduler.time();
  }

  @Override
  public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threadFactory) {
    return () -> new VirtualExecutor(time);
  }

  private static final class VirtualExecutor extends AbstractExecutorService {
    private final VirtualTime time;
    private boolean shutdown;

    VirtualExecutor(VirtualTime time) {
      this.time = time;
    }

    @Override
    public void execute(Runnable task) {
      time.execute(task);
    }

    @Override
    public void shutdown() {
      shutdown = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
      shutdown = true;
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
}
