package dev.weft.cluster;

import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.cluster.MemberStatus;
import akka.cluster.typed.Cluster;
import dev.weft.hca.node.ClusterFabric;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
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
      await("node " + node + " to be known", () -> fabric.directory().lookup(node).isPresent());
    }
    await(jvms + " JVMs to be up", () -> up(fabric) == jvms);
  }

  private static void await(String what, BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "waited 30 s for " + what);
      Thread.sleep(20);
    }
  }
}
