package dev.weft.lab.hosts;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.PostStop;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;

/**
 * The processors of one host in virtual time. This actor takes work, charges for it, and runs its action when it is done; {@link CpuModel}
 * decides when. Actions run on the simulation's thread, in this actor.
 */
public final class HostCpu {
  /** A command to the processors. */
  public sealed interface Command {}

  /** The context in which an interrupt's handler runs. */
  enum Stage { ROUTINE, TASK_QUEUE, SOFTIRQ, SIGNAL }

  /** Runs a handler in the given stage, after an interrupt; for SOFTIRQ without one. */
  record Interrupt(Stage stage, int process, Runnable handler) implements Command {}

  /** Adds work to a process. */
  record Compute(int process, long costNs, Runnable done) implements Command {}

  /** Makes a process start or stop spinning. */
  record Spin(int process, boolean on) implements Command {}

  /** Asks how the time was spent. */
  public record Inspect(ActorRef<CpuStats> replyTo) implements Command {}

  private record Wake(long deadlineNs) implements Command {}

  private final ActorRef<Command> self;
  private final CpuModel model;
  private final FabricContext fabric;
  private long wakeNs = CpuModel.NEVER;

  private HostCpu(ActorRef<Command> self, CpuModel model, FabricContext fabric) {
    this.self = self;
    this.model = model;
    this.fabric = fabric;
  }

  /** Runs {@code ended} when the actor stops with its system; work that waits for a processor then never runs. */
  static Behavior<Command> create(CpuModel model, FabricContext fabric, Runnable ended) {
    return Behaviors.setup(context -> {
      HostCpu actor = new HostCpu(context.getSelf(), model, fabric);
      return Behaviors.receive(Command.class).onAnyMessage(actor::onMessage).onSignal(PostStop.class, stopped -> {
        ended.run();
        return Behaviors.same();
      }).build();
    });
  }

  private Behavior<Command> onMessage(Command message) {
    long nowNs = fabric.clock().nowNs();
    switch (message) {
      case Interrupt interrupt -> onInterrupt(interrupt, nowNs);
      case Compute compute -> model.submit(compute.process(), compute.costNs(), compute.done(), nowNs);
      case Spin spin -> model.spin(spin.process(), spin.on(), nowNs);
      case Inspect inspect -> onInspect(inspect, nowNs);
      case Wake wake -> onWake(wake, nowNs);
    }
    wakeAt(model.nextDeadlineNs());
    return Behaviors.same();
  }

  private void onInterrupt(Interrupt interrupt, long nowNs) {
    CpuCosts costs = model.costs();
    Runnable handler = interrupt.handler();
    switch (interrupt.stage()) {
      case ROUTINE -> model.interrupt(costs.interruptNs() + costs.pollNs(), handler, nowNs);
      case TASK_QUEUE -> model.interrupt(costs.interruptNs(),
          () -> model.softirq(costs.softirqNs() + costs.pollNs(), handler, nowNs), nowNs);
      case SOFTIRQ -> model.softirq(costs.softirqNs() + costs.pollNs(), handler, nowNs);
      case SIGNAL -> model.interrupt(costs.interruptNs(), () -> model.signal(interrupt.process(),
          costs.signalNs() + costs.systemCallNs() + costs.pollNs(), handler, nowNs), nowNs);
    }
  }

  private void onInspect(Inspect inspect, long nowNs) {
    model.advance(nowNs);
    inspect.replyTo().tell(model.stats());
  }

  private void onWake(Wake wake, long nowNs) {
    if (wake.deadlineNs() == wakeNs) {
      wakeNs = CpuModel.NEVER;
    }
    model.advance(nowNs);
  }

  private void wakeAt(long deadlineNs) {
    if (deadlineNs < wakeNs) {
      wakeNs = deadlineNs;
      fabric.timers().at(deadlineNs, self, new Wake(deadlineNs));
    }
  }
}
