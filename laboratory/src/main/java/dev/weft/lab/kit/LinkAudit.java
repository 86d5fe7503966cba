package dev.weft.lab.kit;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.HcaSnapshot;
import java.util.List;

/**
 * Link credits of one node when nothing is outstanding: all are with the transmitters, on both sides of the cable.
 *
 * @param name the node
 * @param link its cable
 * @param lanes virtual lanes
 * @param hcaBuffers packets that an HCA buffers for each lane
 */
public record LinkAudit(String name, SimulatedLink link, int lanes, int hcaBuffers) {

  /** Asks the leaf switch, running the simulation until it has answered. */
  public static SwitchSnapshot inspectSwitch(VirtualFabric fabric) {
    SwitchSnapshot[] answer = new SwitchSnapshot[1];
    Behavior<SwitchSnapshot> receiver = Behaviors.receiveMessage(snapshot -> {
      answer[0] = snapshot;
      return Behaviors.stopped();
    });
    ActorRef<SwitchSnapshot> ref = fabric.system().spawn(receiver, "audit");
    fabric.leafSwitch().tell(new SwitchActor.Inspect(ref));
    fabric.system().runUntil(() -> answer[0] != null, 1_000_000);
    return answer[0];
  }

  /** Checks the link; {@code mayDiscard} if the switch may have given up packets to a node that did not take them. */
  public void check(HcaSnapshot hca, SwitchSnapshot leaf, boolean mayDiscard, Violations violations) {
    // Of several ports of this name, the last is the node's; the others are those of nodes that crashed.
    List<PortSnapshot> ports = leaf.ports().stream().filter(p -> p.name().equals(name)).toList();
    PortSnapshot port = ports.isEmpty() ? null : ports.getLast();
    if (port == null || !port.up() || !hca.linkUp()) {
      violations.add("the link of node " + name + " is not up: " + port);
      return;
    }
    if ((port.discards().total() != 0 && !mayDiscard) || port.discards().creditViolation() != 0 || port.controlErrors() != 0) {
      violations.add("the switch port of node " + name + " discarded packets or saw wrong credits: " + port);
    }
    int unreturned = 0;
    for (int lane = 0; lane < lanes; lane++) {
      unreturned += checkLane(lane, hca, port, violations);
    }
    // An HCA returns its buffers in batches of half of them, so what it still owes follows from the packets it got.
    if ((hca.counters().packetsReceived() - unreturned) % (hcaBuffers / 2) != 0) {
      violations.add("node " + name + " received " + hca.counters().packetsReceived() + " packets and owes " + unreturned
          + " credits, which are not the rest of batches of " + hcaBuffers / 2);
    }
  }

  private int checkLane(int lane, HcaSnapshot hca, PortSnapshot port, Violations violations) {
    PortSnapshot.Lane seen = port.lanes().get(lane);
    int held = hca.linkCredits().get(lane) + link.reservedFromA(lane);
    if (seen.queued() != 0 || seen.inputOccupied() != 0 || held != seen.farEndCredits()) {
      violations.add("lane " + lane + " of node " + name + ": the HCA and its cable hold " + held
          + " credits, the switch port says " + seen);
    }
    int missing = hcaBuffers - seen.credits() - link.reservedFromB(lane);
    if (missing < 0 || missing >= Math.max(1, hcaBuffers / 2)) {
      violations.add("lane " + lane + " of node " + name + ": of " + hcaBuffers + " buffers of the HCA, "
          + missing + " are not with the switch port");
    }
    return missing;
  }
}
