package dev.weft.cluster;

import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.ClusterFabric;
import java.util.stream.StreamSupport;

/** Who belongs to the cluster. */
final class Members {
  private Members() {}

  static long up(ClusterFabric fabric) {
    return StreamSupport.stream(Cluster.get(fabric.system()).state().getMembers().spliterator(), false)
        .filter(member -> member.status().equals(MemberStatus.up())).count();
  }

  /** Waits until so many JVMs are up. */
  static void awaitUp(ClusterFabric fabric, int jvms) {
    Waits.until(jvms + " JVMs to be up", () -> up(fabric) == jvms, () -> Cluster.get(fabric.system()).state());
  }

  /** Waits for nodes, and for so many JVMs: only members that are up count when the rest decides whether it is the majority. */
  static void await(ClusterFabric fabric, int jvms, String... nodes) {
    for (String node : nodes) {
      Waits.until("node " + node + " to be known", () -> fabric.directory().lookup(node).isPresent(), () -> Cluster.get(fabric.system()).state());
    }
    awaitUp(fabric, jvms);
  }
}
