package dev.weft.fabric.dispatch;

import akka.dispatch.DispatcherPrerequisites;
import akka.dispatch.ExecutorServiceConfigurator;
import akka.dispatch.ExecutorServiceFactory;
import com.typesafe.config.Config;
import dev.weft.fabric.time.RealClock;
import java.util.concurrent.ThreadFactory;

/** Makes Akka run a dispatcher's mailboxes on a {@link TaskQueue}: one thread for all of them. Named by configuration. */
public final class TaskQueueConfigurator extends ExecutorServiceConfigurator {
  /** Called by Akka. */
  public TaskQueueConfigurator(Config config, DispatcherPrerequisites prerequisites) {
    super(config, prerequisites);
  }

  @Override
  public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threads) {
    return () -> {
      TaskQueue queue = new TaskQueue(RealClock.INSTANCE);
      return new RoleExecutor(queue, queue::close);
    };
  }
}
