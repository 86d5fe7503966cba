package dev.weft.fabric.switching;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.DispatcherSelector;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.FabricContext;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The leaf switch of a JVM: it attaches cables and keeps the forwarding table. Packets do not pass this actor, only its port
 * actors. A command with a port or LID that does not exist changes nothing. The switch rejects it if it has a {@code replyTo} or
 * {@code done}, and otherwise logs a warning.
 */
public final class SwitchActor {
  /** A command to the switch. */
  public sealed interface Command extends HardwareMessage {}

  /**
   * Attaches a cable. On success, the reply comes first. Then, if {@code linkUp}, the port transmits {@code LinkState(true, lid)}
   * and its credits for every virtual lane, and the far end answers with its own credits.
   *
   * @param name for inspection and actor paths; need not be unique
   * @param lid LID of the HCA at the far end, which also gets a route; 0 for a trunk, or while it is not assigned
   * @param linkUp false for a trunk: the port waits for {@code LinkState(true, 0)}, which the trunk sends when both ends are
   *     connected
   * @param cable makes the port's direction of the cable; gets the port actor, to which the far end transmits. Called on the
   *     switch's thread
   * @param replyTo gets {@link PortAttached} or {@link AttachRefused}
   */
  public record AttachPort(
      String name,
      int lid,
      boolean linkUp,
      Function<ActorRef<HardwareMessage>, Cable> cable,
      ActorRef<? super AttachReply> replyTo)
      implements Command {}

  /** Answer to {@link AttachPort}. */
  public sealed interface AttachReply extends HardwareMessage {}

  /** The cable is attached; the far end transmits to {@code port}. */
  public record PortAttached(String name, int portNumber, ActorRef<HardwareMessage> port) implements AttachReply {}

  /** The cable was not attached. */
  public record AttachRefused(String name, String reason) implements AttachReply {}

  /**
   * Removes a port and the routes through it. The far end gets {@code LinkState(false, lid)}; queued packets are discarded. The
   * port number is free again when the last packet has left the port's input buffers.
   */
  public record DetachPort(int portNumber) implements Command {}

  /** Sets a route: packets to {@code lid} leave through {@code portNumber}. */
  public record SetRoute(int lid, int portNumber) implements Command {}

  /** Removes a route: packets to {@code lid} are discarded. */
  public record ClearRoute(int lid) implements Command {}

  /** Sets the administrative state of a link. A port that is down discards packets. */
  public record SetLink(int portNumber, boolean up) implements Command {}

  /** Gives the HCA at the port's far end this LID: the port tells the HCA, and the switch sets the route. */
  public record SetLid(int portNumber, int lid) implements Command {}

  /**
   * Adds the port to a multicast group: packets to the multicast LID leave through this port, too. {@code done} then runs on the switch's
   * thread, with null or the reason of a refusal. A packet that comes in through a port of the group also leaves through that port,
   * unless it is a trunk.
   */
  public record JoinGroup(int lid, int portNumber, Consumer<String> done) implements Command {}

  /** Undoes {@link JoinGroup}. A detached port leaves all its groups. */
  public record LeaveGroup(int lid, int portNumber) implements Command {}

  /** Asks for a snapshot of all ports and routes. */
  public record Inspect(ActorRef<? super SwitchSnapshot> replyTo) implements Command {}

  /** A detached port has stopped. */
  record PortDrained(int portNumber) implements Command {}

  private final ActorContext<Command> actor;
  private final FabricContext fabric;
  private final DispatcherSelector portDispatcher;
  private final SwitchMemory memory;
  private long attachedCount;

  private SwitchActor(
      ActorContext<Command> actor, SwitchSettings settings, FabricContext fabric, DispatcherSelector portDispatcher) {
    this.actor = actor;
    this.fabric = fabric;
    this.portDispatcher = portDispatcher;
    this.memory = new SwitchMemory(settings);
  }

  /**
   * Makes a switch without ports.
   *
   * @param portDispatcher the dispatcher of its port actors; must run them on the thread on which the switch itself runs
   */
  public static Behavior<Command> create(
      SwitchSettings settings, FabricContext fabric, DispatcherSelector portDispatcher) {
    return Behaviors.setup(
        actor -> {
          SwitchActor leaf = new SwitchActor(actor, settings, fabric, portDispatcher);
          return Behaviors.receiveMessage(leaf::onMessage);
        });
  }

  private Behavior<Command> onMessage(Command message) {
    switch (message) {
      case AttachPort attach -> onAttachPort(attach);
      case DetachPort detach -> onDetachPort(detach);
      case SetRoute set -> onSetRoute(set);
      case ClearRoute clear -> onClearRoute(clear);
      case SetLink set -> onSetLink(set);
      case SetLid set -> onSetLid(set);
      case JoinGroup join -> onJoinGroup(join);
      case LeaveGroup leave -> memory.groups().remove(leave.lid(), leave.portNumber());
      case Inspect inspect -> inspect.replyTo().tell(memory.snapshot());
      case PortDrained drained -> memory.remove(drained.portNumber());
    }
    return Behaviors.same();
  }

  private void onAttachPort(AttachPort attach) {
    if (attach.lid() != 0 && !ForwardingTable.isUnicast(attach.lid())) {
      refuse(attach, "LID " + attach.lid() + " is neither 0 nor from 1 to " + ForwardingTable.LID_MAX);
      return;
    }
    int number = memory.freeNumber();
    if (number == 0) {
      refuse(attach, "all " + memory.settings().portsMax()
          + " ports are taken; detach one or raise weft.fabric.switch.ports-max");
      return;
    }
    PortRegisters registers = new PortRegisters(number, attach.name(), attach.lid(), !attach.linkUp(), memory.settings());
    ActorRef<HardwareMessage> port = actor.spawn(
        SwitchPortActor.create(fabric, memory, registers), "port-" + number + "-" + ++attachedCount, portDispatcher);
    registers.ref = port;
    Cable cable;
    try {
      cable = attach.cable().apply(port);
    } catch (RuntimeException e) {
      actor.stop(port);
      refuse(attach, "laying the cable failed: " + e);
      return;
    }
    memory.add(registers);
    if (attach.lid() != 0) {
      memory.routes().set(attach.lid(), number);
    }
    attach.replyTo().tell(new PortAttached(attach.name(), number, port));
    port.tell(new SwitchPortActor.PlugIn(cable, attach.linkUp()));
  }

  private static void refuse(AttachPort attach, String reason) {
    attach.replyTo().tell(new AttachRefused(attach.name(), reason));
  }

  private void onDetachPort(DetachPort detach) {
    PortRegisters port = attachedOrWarn(detach, detach.portNumber());
    if (port != null) {
      port.attached = false;
      memory.routes().clearPort(port.number);
      memory.groups().removePort(port.number);
      port.ref.tell(new SwitchPortActor.Unplug(actor.getSelf()));
    }
  }

  private void onSetRoute(SetRoute set) {
    if (isUnicastOrWarn(set, set.lid()) && attachedOrWarn(set, set.portNumber()) != null) {
      memory.routes().set(set.lid(), set.portNumber());
    }
  }

  private void onClearRoute(ClearRoute clear) {
    if (isUnicastOrWarn(clear, clear.lid())) {
      memory.routes().clear(clear.lid());
    }
  }

  private void onSetLink(SetLink set) {
    PortRegisters port = attachedOrWarn(set, set.portNumber());
    if (port != null) {
      port.ref.tell(new SwitchPortActor.SetLink(set.up()));
    }
  }

  private void onSetLid(SetLid set) {
    PortRegisters port = attachedOrWarn(set, set.portNumber());
    if (port != null && isUnicastOrWarn(set, set.lid())) {
      memory.routes().set(set.lid(), port.number);
      port.ref.tell(new SwitchPortActor.SetLid(set.lid()));
    }
  }

  private void onJoinGroup(JoinGroup join) {
    String refusal = null;
    if (!MulticastTable.isMulticast(join.lid())) {
      refusal = "LID " + join.lid() + " is not a multicast LID, which go from " + Packet.MULTICAST_LID_MIN + " to "
          + Packet.MULTICAST_LID_MAX;
    } else if (memory.attached(join.portNumber()) == null) {
      refusal = "port " + join.portNumber() + " is not attached";
    } else if (!memory.groups().add(join.lid(), join.portNumber())) {
      refusal = "the switch holds " + memory.settings().multicastGroupsMax()
          + " groups already; raise weft.fabric.switch.multicast-groups-max";
    }
    join.done().accept(refusal);
  }

  private PortRegisters attachedOrWarn(Command command, int portNumber) {
    PortRegisters port = memory.attached(portNumber);
    if (port == null) {
      actor.getLog().warn("{} ignored: port {} is not attached", command, portNumber);
    }
    return port;
  }

  private boolean isUnicastOrWarn(Command command, int lid) {
    boolean unicast = ForwardingTable.isUnicast(lid);
    if (!unicast) {
      actor.getLog().warn("{} ignored: LIDs go from 1 to {}", command, ForwardingTable.LID_MAX);
    }
    return unicast;
  }
}
