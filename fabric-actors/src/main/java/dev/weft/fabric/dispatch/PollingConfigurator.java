package dev.weft.fabric.dispatch;

import akka.dispatch.DispatcherPrerequisites;
import akka.dispatch.ExecutorServiceConfigurator;
import akka.dispatch.ExecutorServiceFactory;
import com.typesafe.config.Config;
import java.util.concurrent.ThreadFactory;

/** Makes Akka run a dispatcher's mailboxes on a {@link PollingQueue}: one thread for all of them. Named by configuration. */
public final class PollingConfigurator extends ExecutorServiceConfigurator {
  private final Object systemKey;
  private final HardwareDispatcherSettings hardware;

  /** Called by Akka. */
  public PollingConfigurator(Config config, DispatcherPrerequisites prerequisites) {
    super(config, prerequisites);
    systemKey = prerequisites.settings();
    hardware = HardwareDispatcherSettings.from(prerequisites.settings().config().getConfig(HardwareDispatcher.CONFIG_PATH));
  }

  @Override
  public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threads) {
    return () -> {
      PollingQueue queue = new PollingQueue(HardwareDispatchers.obtain(systemKey, hardware, threads));
      return new RoleExecutor(queue, queue::close);
    };
  }
}
