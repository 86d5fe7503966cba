package dev.weft.lab.sim.rc;

import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.QpType;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.FaultPlan;
import java.util.ArrayList;
import java.util.List;

/** The flows of one run beside its reliable connections. Swarm: each kind is present or not. */
final class SideTraffic {
  private static final double SHARE = 0.3;
  private static final int OF_A_KIND_MAX = 2;

  private final List<SideFlow> flows = new ArrayList<>();

  SideTraffic(RunJournal run, Draw draw, List<SimNode> nodes, FaultPlan faults) {
    for (int left = count(draw); left > 0; left--) {
      flows.add(new DatagramFlow(run, draw.split(), QpType.UC, false, nodes, faults, flows.size()));
    }
    for (int left = count(draw); left > 0; left--) {
      flows.add(new DatagramFlow(run, draw.split(), QpType.UD, false, nodes, faults, flows.size()));
    }
    for (int left = count(draw); left > 0; left--) {
      flows.add(new DatagramFlow(run, draw.split(), QpType.UD, true, nodes, faults, flows.size()));
    }
    for (int left = count(draw); left > 0; left--) {
      flows.add(new SharedReceiveFlow(run, draw.split(), nodes));
    }
    for (int left = count(draw); left > 0; left--) {
      flows.add(new WindowFlow(run, draw.split(), nodes));
    }
    for (int left = count(draw); left > 0; left--) {
      flows.add(new PlacementFlow(run, draw.split(), nodes));
    }
  }

  private static int count(Draw draw) {
    return draw.chance(SHARE) ? draw.between(1, OF_A_KIND_MAX) : 0;
  }

  List<SideFlow> flows() {
    return flows;
  }

  boolean isDone() {
    for (SideFlow flow : flows) {
      if (!flow.isDone()) {
        return false;
      }
    }
    return true;
  }

  /** Whether one of them causes that event. */
  boolean causes(SimNode node, AsyncEvent event) {
    for (SideFlow flow : flows) {
      if (flow.causes(node, event)) {
        return true;
      }
    }
    return false;
  }
}
