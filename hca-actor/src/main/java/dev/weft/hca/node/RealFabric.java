package dev.weft.hca.node;

import akka.actor.typed.ActorSystem;
import com.typesafe.config.Config;
import dev.weft.fabric.dispatch.HardwareDispatcher;
import dev.weft.fabric.dispatch.TaskQueue;
import dev.weft.fabric.time.RealClock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A fabric in real time: its actor system with the thread of the hardware, and its nodes. Any thread. */
abstract class RealFabric implements Fabric {
  final ActorSystem<Void> system;
  final HardwareDispatcher dispatcher;
  final TaskQueue taskQueue = new TaskQueue(RealClock.INSTANCE);
  final Nodes nodes;

  RealFabric(ActorSystem<Void> system, Duration patience) {
    this.system = system;
    dispatcher = HardwareDispatcher.of(system);
    nodes = new Nodes(patience);
  }

  @Override
  public boolean await(BooleanSupplier until, Duration max) {
    return nodes.hasCome(until, dispatcher.help(nodes.orEnd(until), max.toNanos()));
  }

  @Override
  public boolean await(Runnable first, BooleanSupplier until, Duration max) {
    try (HardwareDispatcher.DeferredWake _ = dispatcher.deferWake()) {
      first.run();
      return await(until, max);
    }
  }

  @Override
  public void closeNode(String name) {
    nodes.close(name, this, !isHardwareThread());
  }

  @Override
  public Config config() {
    return system.settings().config();
  }

  @Override
  public boolean isHardwareThread() {
    return dispatcher.isHardwareThread();
  }

  @Override
  public boolean help(BooleanSupplier until, long maxNs) {
    return dispatcher.help(until, maxNs);
  }

  public HardwareDispatcher dispatcher() {
    return dispatcher;
  }

  public ActorSystem<Void> system() {
    return system;
  }
}
