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
 * Checks the link credits of one node when nothing is outstanding: on both sides of the cable, all credits must be with the transmitters.
 *
 * @param name name of the node
 * @param link its cable
 * @param lanes number of virtual lanes
 * @param hcaBuffers packets that an HCA buffers for each lane
 */
public record LinkAudit(String name, SimulatedLink link, int lanes, int hcaBuffers) {

  /** Asks the leaf switch; runs the simulation until it has answered. */
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

  /** Checks the link; with {@code mayDiscard}, the switch may have discarded packets to a node that did not take them. */
  public void check(HcaSnapshot hca, SwitchSnapshot leaf, boolean mayDiscard, Violations violations) {
    // The last port with this name is the node's; earlier ones belonged to crashed nodes.
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
    // An HCA returns its buffers in batches of half of them, so the number of packets that it got determines its debt.
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
