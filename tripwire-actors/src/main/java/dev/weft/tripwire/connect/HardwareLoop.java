package dev.weft.tripwire.connect;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import dev.weft.tripwire.nic.Nic;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the logic of an application on the hardware thread, beside the NIC, when it is rung or at a given time; in real and in virtual time, without
 * locks. A role of the node.
 */
public final class HardwareLoop implements AutoCloseable {
  /** The work of the application, on the hardware thread. */
  @FunctionalInterface
  public interface Work {
    /** Does what there is to do; returns the latest time of the next call, {@code Long.MAX_VALUE} to wait for a ring. */
    long step(long nowNs);
  }

  private sealed interface Command {}

  private record Ring() implements Command {}

  private record Tick(long atNs) implements Command {}

  private record Stop(Runnable last) implements Command {}

  private static final Ring RING = new Ring();

  private final FabricContext fabric;
  private final Work work;
  private final AtomicBoolean rung = new AtomicBoolean();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ActorRef<Command> actor;
  private ActorRef<Command> self;
  private long tickNs = Long.MAX_VALUE;

  private HardwareLoop(Nic nic, String role, Work work) {
    fabric = nic.node().context();
    this.work = work;
    actor = nic.node().spawnRole(create(), role);
  }

  /** Starts a role with that name; it first runs when it is rung. */
  public static HardwareLoop start(Nic nic, String role, Work work) {
    return new HardwareLoop(nic, role, work);
  }

  private Behavior<Command> create() {
    return Behaviors.setup(context -> {
      self = context.getSelf();
      return Behaviors.receiveMessage(this::onMessage);
    });
  }

  private Behavior<Command> onMessage(Command command) {
    switch (command) {
      case Ring ignored -> {
        rung.set(false);
        step();
      }
      case Tick tick -> {
        if (tick.atNs() == tickNs) {
          tickNs = Long.MAX_VALUE;
          step();
        }
      }
      case Stop stop -> {
        stop.last().run();
        return Behaviors.stopped();
      }
    }
    return Behaviors.same();
  }

  private void step() {
    long nextNs = work.step(fabric.clock().nowNs());
    if (nextNs < tickNs) {
      tickNs = nextNs;
      fabric.timers().at(nextNs, self, new Tick(nextNs));
    }
  }

  /** Schedules a step. Any thread. */
  public void ring() {
    if (!rung.get() && rung.compareAndSet(false, true)) {
      actor.tell(RING);
    }
  }

  /** Runs {@code last} on the hardware thread, then ends; does not wait. */
  public void close(Runnable last) {
    if (closed.compareAndSet(false, true)) {
      actor.tell(new Stop(last));
    }
  }

  @Override
  public void close() {
    close(() -> {});
  }
}
