package dev.weft.fabric.host;

import akka.actor.typed.javadsl.Adapter;
import akka.dispatch.Dispatcher;
import akka.dispatch.Dispatchers;
import akka.dispatch.ExecutorServiceFactoryProvider;
import akka.dispatch.MessageDispatcher;
import akka.dispatch.MessageDispatcherConfigurator;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.dispatch.RoleExecutor;
import dev.weft.fabric.time.VirtualSystem;
import java.util.concurrent.Executor;
import scala.concurrent.duration.Duration;
import scala.concurrent.duration.FiniteDuration;

/** A dispatcher of virtual time whose mailboxes run on the processors of a host; the executor charges for each run first. */
public final class HostDispatcher extends MessageDispatcherConfigurator {
  /** As for the receive contexts of real time: messages that have arrived meanwhile cost no second interrupt. */
  private static final int THROUGHPUT = 32;
  private static final FiniteDuration SHUTDOWN_TIMEOUT = Duration.create(1, "s");

  private final String id;
  private final Executor processors;
  private MessageDispatcher dispatcher;

  private HostDispatcher(String id, Executor processors, Dispatchers all) {
    super(all.config(id, ConfigFactory.empty()), all.prerequisites());
    this.id = id;
    this.processors = processors;
  }

  /** Registers a dispatcher with name {@code id} that runs its mailboxes on {@code processors}. Has no effect if the name is taken. */
  public static void register(VirtualSystem system, String id, Executor processors) {
    Dispatchers all = Adapter.toClassic(system.system()).dispatchers();
    all.registerConfigurator(id, new HostDispatcher(id, processors, all));
  }

  @Override
  public MessageDispatcher dispatcher() {
    if (dispatcher == null) {
      ExecutorServiceFactoryProvider executors = (name, threads) -> () -> new RoleExecutor(processors, () -> { });
      dispatcher = new Dispatcher(this, id, THROUGHPUT, Duration.Zero(), executors, SHUTDOWN_TIMEOUT);
    }
    return dispatcher;
  }
}
