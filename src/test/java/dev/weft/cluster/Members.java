package dev.weft.cluster;

import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import dev.weft.Waits;
import dev.weft.hca.node.ClusterFabric;
import java.util.stream.StreamSupport;

/** Who belongs to the cluster. */
final class Members {
  private Members() {}

  static long up(ClusterFabric fabric) {
    return StreamSupport.stream(Cluster.get(fabric.system()).state().getMembers().spliterator(), false)
        .filter(member -> member.status().equals(MemberStatus.up())).count();
  }

  /** Waits for nodes, and for so many JVMs: only members that are up count when the rest decides whether it is the majority. */
  static void await(ClusterFabric fabric, int jvms, String... nodes) throws InterruptedException {
    for (String node : nodes) {
      Waits.await("node " + node + " to be known", 30, () -> fabric.directory().lookup(node).isPresent());
    }
    Waits.await(jvms + " JVMs to be up", 30, () -> up(fabric) == jvms);
  }
}
