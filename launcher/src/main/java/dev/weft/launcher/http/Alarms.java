package dev.weft.launcher.http;

import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.NodeElement;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.service.Alarm;
import java.util.ArrayList;
import java.util.List;

/** Finds the alarms in snapshots. No state; any thread. */
final class Alarms {
  private Alarms() {}

  /** @param hca the snapshot of the node's HCA; null if the HCA did not answer */
  static List<Alarm> of(Node node, HcaSnapshot hca) {
    List<Alarm> found = new ArrayList<>();
    for (NodeElement element : node.elements()) {
      if (element.hasFailed()) {
        found.add(Alarm.error("ELEMENT_FAILED", "nodes/" + node.name() + "/elements",
            element.name() + " of node " + node.name() + " failed: " + element.failure()));
      }
    }
    if (hca == null) {
      found.add(Alarm.error("HCA_SILENT", "nodes/" + node.name(), "the HCA did not answer in time; /weft/dispatcher shows whether its thread is blocked"));
    } else {
      found.addAll(of(hca, node.hca().asyncEventsLost()));
    }
    return found;
  }

  static Alarm silentSwitch() {
    return Alarm.error("SWITCH_SILENT", "switch", "the leaf switch did not answer in time; /weft/dispatcher shows whether its thread is blocked");
  }

  static List<Alarm> of(HcaSnapshot hca, long asyncEventsLost) {
    List<Alarm> found = new ArrayList<>();
    String at = "nodes/" + hca.node();
    if (!hca.linkUp()) {
      found.add(Alarm.error("LINK_DOWN", at, "the link to the switch is down"));
    }
    hca.queuePairs().forEach(qp -> found.addAll(QueuePairAlarms.of(qp, at + "/qps/" + qp.number())));
    for (HcaSnapshot.Cq cq : hca.completionQueues()) {
      if (cq.overrun()) {
        found.add(Alarm.error("CQ_OVERRUN", at + "/cqs/" + cq.number(),
            "completion queue " + cq.number() + " of " + cq.capacity() + " entries overran and delivers no more completions; make a larger one,"
                + " or poll it more often"));
      }
    }
    if (hca.counters().packetsDropped() > 0) {
      found.add(Alarm.warning("HCA_DROPS", at, hca.counters().packetsDropped() + " packets dropped by the HCA"));
    }
    if (hca.counters().unknownMessages() > 0) {
      found.add(Alarm.warning("UNKNOWN_MESSAGES", at, hca.counters().unknownMessages() + " messages of a type that the HCA does not know;"
          + " run the same version of Weft in all JVMs"));
    }
    if (asyncEventsLost > 0) {
      found.add(Alarm.warning("ASYNC_EVENTS_LOST", at, asyncEventsLost + " asynchronous events lost: the program does not fetch them in time"));
    }
    return found;
  }

  static List<Alarm> of(SwitchSnapshot leafSwitch) {
    List<Alarm> found = new ArrayList<>();
    for (PortSnapshot port : leafSwitch.ports()) {
      String at = "switch/ports/" + port.number();
      String name = "port " + port.number() + " (" + port.name() + ")";
      if (!port.up()) {
        found.add(Alarm.error("PORT_DOWN", at, name + " is down"));
      }
      for (int lane = 0; lane < port.lanes().size(); lane++) {
        if (port.lanes().get(lane).stalled()) {
          found.add(Alarm.error("LANE_STALLED", at, name + ", lane " + lane + ": no credit for the head-of-queue lifetime"));
        }
      }
      PortSnapshot.Discards discards = port.discards();
      if (discards.total() > 0) {
        found.add(Alarm.warning("SWITCH_DISCARDS", at, name + " discarded " + discards.total() + " packets (no route "
            + discards.noRoute() + ", link down " + discards.linkDown() + ", credit violation " + discards.creditViolation()
            + ", head-of-queue lifetime " + discards.headOfQueueLifetime() + ")"));
      }
      if (port.controlErrors() > 0) {
        found.add(Alarm.warning("CREDIT_ERRORS", at, name + " got " + port.controlErrors() + " impossible credit updates"));
      }
    }
    return found;
  }

  static List<Alarm> of(ClusterView cluster) {
    List<Alarm> found = new ArrayList<>();
    for (ClusterView.MemberView member : cluster.members()) {
      if (member.unreachable()) {
        found.add(Alarm.error("MEMBER_UNREACHABLE", "status", member.address() + " does not answer heartbeats; check its process, and the network"
            + " to its host"));
      }
    }
    switch (cluster.selfStatus()) {
      case "Removed", "Down" -> found.add(Alarm.error("SELF_REMOVED", "status",
          "this JVM is not in the cluster any more; start it again"));
      case ClusterView.NOT_JOINED -> found.add(Alarm.warning("SELF_NOT_JOINED", "status", "this JVM has not joined a cluster yet"));
      default -> { }
    }
    return found;
  }
}
