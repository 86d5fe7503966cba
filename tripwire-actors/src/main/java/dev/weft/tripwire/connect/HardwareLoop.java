package dev.weft.tripwire.connect;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.time.FabricContext;
import dev.weft.tripwire.Nic;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs the logic of an application on the hardware thread, beside the NIC, whenever it is rung or a time has come: in both clocks, without
 * locks. A role of the node.
 */
public final class HardwareLoop implements AutoCloseable {
  /** What the application does, on the hardware thread. */
  @FunctionalInterface
  public interface Work {
    /** Does what there is to do; answers when to be called again at the latest, {@code Long.MAX_VALUE} for when it is rung. */
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

  /** Starts a role of that name; it runs when it is rung first. */
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

  /** There is something to do. Any thread. */
  public void ring() {
    if (!rung.get() && rung.compareAndSet(false, true)) {
      actor.tell(RING);
    }
  }

  /** Has {@code last} run on the hardware thread, then ends; does not wait. */
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
