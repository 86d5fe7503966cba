package dev.weft.lab.sim.rc;

import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.lab.kit.Checker;
import dev.weft.lab.kit.LinkAudit;
import dev.weft.lab.kit.Violations;
import java.util.List;
import java.util.function.LongSupplier;

/** Checks that hold when nothing is outstanding: no completion is lost, each atomic was executed once, and all link credits and buffers are back. */
final class Audit implements Checker {
  private final VirtualFabric fabric;
  private final Scenario scenario;
  private final List<SimNode> nodes;
  private final List<SimEnd> ends;
  private final LongSupplier sideAtomics;

  /** @param sideAtomics number of atomics that side traffic posted */
  Audit(VirtualFabric fabric, Scenario scenario, List<SimNode> nodes, List<SimEnd> ends, LongSupplier sideAtomics) {
    this.fabric = fabric;
    this.scenario = scenario;
    this.nodes = nodes;
    this.ends = ends;
    this.sideAtomics = sideAtomics;
  }

  @Override
  public void checkFinished(Violations violations) {
    SwitchSnapshot leaf = LinkAudit.inspectSwitch(fabric);
    long atomics = 0;
    for (SimNode node : nodes) {
      HcaSnapshot hca = node.hca.inspect();
      atomics += hca.counters().atomicsExecuted();
      checkCompletionQueues(node, hca, violations);
      new LinkAudit("n" + node.index, fabric.link("n" + node.index), scenario.lanes(), scenario.hcaBuffers())
          .check(hca, leaf, false, violations);
    }
    long planned = sideAtomics.getAsLong() + ends.stream().flatMap(end -> end.ops().stream()).filter(Op::isAtomic).count();
    if (atomics != planned) {
      violations.add(planned + " atomics were posted, " + atomics + " were executed");
    }
  }

  private static void checkCompletionQueues(SimNode node, HcaSnapshot hca, Violations violations) {
    for (SimCq cq : node.cqs) {
      HcaSnapshot.Cq seen = hca.completionQueues().stream().filter(c -> c.number() == cq.cq.number()).findFirst().orElseThrow();
      if (seen.size() != 0 || seen.overrun() || seen.completions() != cq.polled) {
        violations.add("completion queue " + cq.number + " of node " + node.index + ": " + cq.polled + " completions polled, it says "
            + seen);
      }
    }
  }
}
