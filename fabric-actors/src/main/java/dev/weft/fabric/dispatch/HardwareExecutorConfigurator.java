package dev.weft.fabric.dispatch;

import akka.dispatch.DispatcherPrerequisites;
import akka.dispatch.ExecutorServiceConfigurator;
import akka.dispatch.ExecutorServiceFactory;
import com.typesafe.config.Config;
import java.util.concurrent.ThreadFactory;

/** Makes Akka run a dispatcher's mailboxes on the {@link HardwareDispatcher} of its actor system. Named by configuration. */
public final class HardwareExecutorConfigurator extends ExecutorServiceConfigurator {
  private final HardwareDispatcherSettings settings;
  private final Object systemKey;

  /** Called by Akka. */
  public HardwareExecutorConfigurator(Config config, DispatcherPrerequisites prerequisites) {
    super(config, prerequisites);
    this.settings = HardwareDispatcherSettings.from(config);
    this.systemKey = prerequisites.settings();
  }

  @Override
  public ExecutorServiceFactory createExecutorServiceFactory(String id, ThreadFactory threadFactory) {
    return () -> new HardwareExecutor(HardwareDispatchers.obtain(systemKey, settings, threadFactory));
  }
}
