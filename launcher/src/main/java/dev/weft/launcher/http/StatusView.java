package dev.weft.launcher.http;

import dev.weft.fabric.switching.PortSnapshot;
import dev.weft.fabric.switching.SwitchSnapshot;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.service.Alarm;
import dev.weft.service.Services;
import dev.weft.service.StatusTable;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Summary of one JVM, the answer of {@code /weft/status}.
 *
 * @param version version of Weft
 * @param jvm the process
 * @param cluster the cluster; null without one
 * @param totals sums over all nodes and ports of the JVM
 * @param nodes the first nodes, at most {@code weft.http.list-max}
 * @param alarmCount number of all alarms
 * @param alarms the first alarms, errors first, at most {@code weft.http.list-max}
 * @param sections names of further routes
 * @param services the services that run in the JVM
 * @param tables tables of the services
 */
record StatusView(
    String version,
    JvmView jvm,
    ClusterView cluster,
    Totals totals,
    List<NodeView> nodes,
    int alarmCount,
    List<Alarm> alarms,
    List<String> sections,
    List<ServiceView> services,
    List<StatusTable> tables) {

  /** A service that runs in the JVM. */
  record ServiceView(String name, String version) {}

  /** The process. */
  record JvmView(String name, long pid, String javaVersion, int processors, long uptimeMs, long heapUsedBytes, long heapMaxBytes) {
    static JvmView now(String name) {
      Runtime runtime = Runtime.getRuntime();
      return new JvmView(name, ProcessHandle.current().pid(), Runtime.version().toString(), runtime.availableProcessors(),
          ManagementFactory.getRuntimeMXBean().getUptime(), runtime.totalMemory() - runtime.freeMemory(), runtime.maxMemory());
    }
  }

  /** Sums. {@code fabricNodes} counts the nodes of all JVMs, {@code nodes} those of this JVM. {@code bytesCopied} are the copies of the HCAs;
   * the section of the trunks has those of the trunks. */
  record Totals(
      int fabricNodes,
      int nodes,
      int queuePairs,
      int completionQueues,
      int memoryRegions,
      long registeredBytes,
      long bytesSent,
      long bytesReceived,
      long bytesCopied,
      int switchPorts,
      long switchDiscards) {}

  /**
   * One node in brief. All counts are 0 if its HCA does not answer, except lost events and alarms.
   *
   * @param answered whether its HCA answered in time
   * @param bytesCopied copies of payload that its HCA made, in bytes
   * @param queuePairsByState number of queue pairs in each state that occurs
   * @param silenceMaxNs longest wait for an answer that outlasted its timer, of the connection that came nearest to the end of its retries; 0 if
   *     there was no such wait
   * @param retryBudgetNs time after which that connection would have failed; 0 if there was no such wait
   */
  record NodeView(
      String name,
      int lid,
      boolean answered,
      boolean linkUp,
      int queuePairs,
      Map<String, Integer> queuePairsByState,
      int completionQueues,
      int memoryRegions,
      long registeredBytes,
      long packetsSent,
      long packetsReceived,
      long bytesSent,
      long bytesReceived,
      long bytesCopied,
      long packetsRetransmitted,
      long silenceMaxNs,
      long retryBudgetNs,
      long asyncEventsLost,
      int alarmCount) {

    static NodeView of(Node node, HcaSnapshot hca) {
      int alarmCount = Alarms.of(node, hca).size();
      long lost = node.hca().asyncEventsLost();
      if (hca == null) {
        return new NodeView(node.name(), node.hca().lid(), false, false, 0, Map.of(), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, lost, alarmCount);
      }
      Map<String, Integer> byState = new LinkedHashMap<>();
      hca.queuePairs().forEach(qp -> byState.merge(qp.state().name(), 1, Integer::sum));
      long registered = hca.memoryRegions().stream().mapToLong(HcaSnapshot.Mr::length).sum();
      HcaSnapshot.Counters counters = hca.counters();
      Optional<HcaSnapshot.Qp> nearest = hca.queuePairs().stream().filter(qp -> qp.silenceMaxNs() > 0 && qp.retryBudgetNs() > 0)
          .max(Comparator.comparingDouble(qp -> (double) qp.silenceMaxNs() / qp.retryBudgetNs()));
      return new NodeView(hca.node(), hca.lid(), true, hca.linkUp(), hca.queuePairs().size(), byState,
          hca.completionQueues().size(), hca.memoryRegions().size(), registered, counters.packetsSent(),
          counters.packetsReceived(), counters.bytesSent(), counters.bytesReceived(), counters.bytesCopied(),
          counters.packetsRetransmitted(),
          nearest.map(HcaSnapshot.Qp::silenceMaxNs).orElse(0L), nearest.map(HcaSnapshot.Qp::retryBudgetNs).orElse(0L), lost, alarmCount);
    }
  }

  /**
   * Makes the summary.
   *
   * @param hcas the HCA snapshot of each node; null for an HCA that does not answer
   * @param leafSwitch the snapshot of the switch; null if it does not answer
   * @param cluster the cluster; null without one
   */
  static StatusView of(Inspection inspection, Map<Node, HcaSnapshot> hcas, SwitchSnapshot leafSwitch, ClusterView cluster,
      ServicesView.Told told, int listMax) {
    List<NodeView> nodes = new ArrayList<>();
    List<Alarm> alarms = new ArrayList<>();
    hcas.forEach((node, hca) -> {
      nodes.add(NodeView.of(node, hca));
      alarms.addAll(Alarms.of(node, hca));
    });
    alarms.addAll(leafSwitch == null ? List.of(Alarms.silentSwitch()) : Alarms.of(leafSwitch));
    if (cluster != null) {
      alarms.addAll(Alarms.of(cluster));
    }
    alarms.addAll(inspection.servicesView().alarms());
    alarms.addAll(told.alarms());
    alarms.sort((one, other) -> one.severity().compareTo(other.severity()));
    return new StatusView(inspection.version(), JvmView.now(inspection.jvm()), cluster,
        totals(inspection, nodes, leafSwitch == null ? List.of() : leafSwitch.ports()),
        List.copyOf(nodes.subList(0, Math.min(listMax, nodes.size()))), alarms.size(),
        List.copyOf(alarms.subList(0, Math.min(listMax, alarms.size()))), List.copyOf(inspection.sections().keySet()), services(inspection),
        told.tables());
  }

  private static List<ServiceView> services(Inspection inspection) {
    return Services.all().stream().filter(service -> inspection.services().containsKey(service.name()))
        .map(service -> new ServiceView(service.name(), service.version())).toList();
  }

  private static Totals totals(Inspection inspection, List<NodeView> nodes, List<PortSnapshot> ports) {
    // Further devices of a node have their own entries; their names contain a slash.
    int fabricNodes = (int) inspection.directory().nodes().stream().filter(entry -> entry.name().indexOf('/') < 0).count();
    return new Totals(fabricNodes, nodes.size(),
        nodes.stream().mapToInt(NodeView::queuePairs).sum(),
        nodes.stream().mapToInt(NodeView::completionQueues).sum(),
        nodes.stream().mapToInt(NodeView::memoryRegions).sum(),
        nodes.stream().mapToLong(NodeView::registeredBytes).sum(),
        nodes.stream().mapToLong(NodeView::bytesSent).sum(),
        nodes.stream().mapToLong(NodeView::bytesReceived).sum(),
        nodes.stream().mapToLong(NodeView::bytesCopied).sum(),
        ports.size(),
        ports.stream().mapToLong(port -> port.discards().total()).sum());
  }
}
