package dev.weft.hca.sim;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.link.SimulatedLink;
import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchActor;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.HcaSnapshot;
import dev.weft.hca.node.VirtualFabric;
import java.util.List;
import java.util.Optional;

/** What must hold when nothing is outstanding: no completion lost, each atomic executed once, all link credits and buffers back. */
final class Audit {
  private final VirtualFabric fabric;
  private final Scenario scenario;
  private final List<SimNode> nodes;
  private final List<SimEnd> ends;
  private final Violations violations;

  Audit(VirtualFabric fabric, Scenario scenario, List<SimNode> nodes, List<SimEnd> ends, Violations violations) {
    this.fabric = fabric;
    this.scenario = scenario;
    this.nodes = nodes;
    this.ends = ends;
    this.violations = violations;
  }

  void check() {
    SwitchSnapshot leaf = inspectSwitch();
    long atomics = 0;
    for (SimNode node : nodes) {
      HcaSnapshot hca = node.hca.inspect();
      atomics += hca.counters().atomicsExecuted();
      checkCompletionQueues(node, hca);
      checkCredits(node, hca, leaf);
    }
    long planned = ends.stream().flatMap(end -> end.ops().stream()).filter(Op::isAtomic).count();
    if (atomics != planned) {
      violations.add(planned + " atomics were posted, " + atomics + " were executed");
    }
  }

  private void checkCompletionQueues(SimNode node, HcaSnapshot hca) {
    for (SimCq cq : node.cqs) {
      HcaSnapshot.Cq seen = hca.completionQueues().stream().filter(c -> c.number() == cq.cq.number()).findFirst().orElseThrow();
      if (seen.size() != 0 || seen.overrun() || seen.completions() != cq.polled) {
        violations.add("completion queue " + cq.number + " of node " + node.index + ": " + cq.polled + " completions polled, it says "
            + seen);
      }
    }
  }

  private void checkCredits(SimNode node, HcaSnapshot hca, SwitchSnapshot leaf) {
    String name = "n" + node.index;
    Optional<PortSnapshot> port = leaf.ports().stream().filter(p -> p.name().equals(name)).findFirst();
    if (port.isEmpty() || !port.get().up() || !hca.linkUp()) {
      violations.add("the link of node " + node.index + " is not up: " + port);
      return;
    }
    if (port.get().discards().total() != 0 || port.get().controlErrors() != 0) {
      violations.add("the switch port of node " + node.index + " discarded packets or saw wrong credits: " + port.get());
    }
    SimulatedLink link = fabric.link(name);
    int unreturned = 0;
    for (int lane = 0; lane < scenario.lanes(); lane++) {
      PortSnapshot.Lane seen = port.get().lanes().get(lane);
      int held = hca.linkCredits().get(lane) + link.reservedFromA(lane);
      if (seen.queued() != 0 || seen.inputOccupied() != 0 || held != seen.farEndCredits()) {
        violations.add("lane " + lane + " of node " + node.index + ": the HCA and its cable hold " + held
            + " credits, the switch port says " + seen);
      }
      int missing = scenario.hcaBuffers() - seen.credits() - link.reservedFromB(lane);
      if (missing < 0 || missing >= Math.max(1, scenario.hcaBuffers() / 2)) {
        violations.add("lane " + lane + " of node " + node.index + ": of " + scenario.hcaBuffers() + " buffers of the HCA, "
            + missing + " are not with the switch port");
      }
      unreturned += missing;
    }
    // An HCA returns its buffers in batches of half of them, so what it still owes follows from the packets it got.
    if ((hca.counters().packetsReceived() - unreturned) % (scenario.hcaBuffers() / 2) != 0) {
      violations.add("node " + node.index + " received " + hca.counters().packetsReceived() + " packets and owes " + unreturned
          + " credits, which are not the rest of batches of " + scenario.hcaBuffers() / 2);
    }
  }

  private SwitchSnapshot inspectSwitch() {
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
}
