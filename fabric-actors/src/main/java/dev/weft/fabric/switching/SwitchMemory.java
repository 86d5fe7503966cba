package dev.weft.fabric.switching;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.Packet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The state that the ports of one switch share: settings, forwarding table, port registers. One thread. */
final class SwitchMemory {
  private final SwitchSettings settings;
  private final ForwardingTable routes = new ForwardingTable();
  private final MulticastTable groups;
  private final PortRegisters[] ports;

  SwitchMemory(SwitchSettings settings) {
    this.settings = settings;
    this.groups = new MulticastTable(settings.multicastGroupsMax());
    this.ports = new PortRegisters[settings.portsMax() + 1];
  }

  SwitchSettings settings() {
    return settings;
  }

  ForwardingTable routes() {
    return routes;
  }

  MulticastTable groups() {
    return groups;
  }

  /** Whether a multicast packet that came in at {@code ingress} may leave through port {@code number} of its group. */
  boolean mayReplicate(PortRegisters ingress, int number) {
    PortRegisters egress = ports[number];
    return egress != null && egress.attached && !(ingress.trunk && egress.trunk);
  }

  /** Returns the actor of port {@code number}. A detached port stays until its packets have left. */
  ActorRef<HardwareMessage> actor(int number) {
    return ports[number].ref;
  }

  /**
   * Counts a packet, or one copy of it, out of the input buffers of the port through which it came in. Returns null, or a message that the
   * caller must give to that port.
   */
  SwitchPortActor.ReturnCredits left(Packet packet, int lane, int ingressPort) {
    return ports[ingressPort].input.left(packet, lane);
  }

  /** Returns the attached port through which packets to {@code lid} leave, or null. */
  PortRegisters egressFor(int lid) {
    PortRegisters port = ports[routes.portOf(lid)];
    return port != null && port.attached ? port : null;
  }

  /** Returns port {@code number} if it is in range and attached, else null. */
  PortRegisters attached(int number) {
    if (number < 1 || number >= ports.length) {
      return null;
    }
    PortRegisters port = ports[number];
    return port != null && port.attached ? port : null;
  }

  /** Returns the lowest free port number, or 0 if all are taken. */
  int freeNumber() {
    for (int number = 1; number < ports.length; number++) {
      if (ports[number] == null) {
        return number;
      }
    }
    return 0;
  }

  void add(PortRegisters port) {
    ports[port.number] = port;
  }

  void remove(int number) {
    ports[number] = null;
  }

  SwitchSnapshot snapshot() {
    List<PortSnapshot> attached = new ArrayList<>();
    for (PortRegisters port : ports) {
      if (port != null && port.attached) {
        attached.add(port.snapshot());
      }
    }
    List<SwitchSnapshot.Route> table = new ArrayList<>();
    for (int lid = 1; lid <= ForwardingTable.LID_MAX; lid++) {
      int port = routes.portOf(lid);
      if (port != ForwardingTable.NO_ROUTE) {
        table.add(new SwitchSnapshot.Route(lid, port));
      }
    }
    List<SwitchSnapshot.Group> multicast = new ArrayList<>();
    groups.all().forEach((lid, members) ->
        multicast.add(new SwitchSnapshot.Group(lid, Arrays.stream(members).boxed().toList())));
    return new SwitchSnapshot(List.copyOf(attached), List.copyOf(table), List.copyOf(multicast));
  }
}
