package dev.weft.lab.sim.pager;

import dev.weft.lab.kit.FaultClass;
import java.util.ArrayList;
import java.util.List;

/** Outages of nodes that may excuse the loss of a server by a client. */
final class Outages {
  /** For the default connection: seven retries of 2.15 s each. */
  private static final long RETRY_BUDGET_NS = 17_179_869_184L;

  private record Outage(int node, FaultClass kind, long fromNs, long toNs) {}

  private final List<Outage> outages = new ArrayList<>();

  /** A crash lasts for ever, because lost data stays lost. */
  void add(int node, FaultClass kind, long fromNs, long toNs) {
    outages.add(new Outage(node, kind, fromNs, toNs));
  }

  private static boolean endsServer(FaultClass kind) {
    return kind == FaultClass.SERVER_CRASH || kind == FaultClass.SERVER_RESTART;
  }

  /** Whether a server has ended since then, with all its data. */
  boolean hasCrashed(int serverNode, long sinceNs) {
    return outages.stream().anyMatch(outage -> outage.node == serverNode && endsServer(outage.kind) && outage.toNs >= sinceNs);
  }

  /**
   * Whether a device of one node, opened at {@code sinceNs}, may have lost its server on another node. Short outages are no excuse, because retries
   * and the timeout must cover them.
   */
  boolean excuse(int clientNode, int serverNode, long sinceNs, long requestTimeoutNs) {
    long sumNs = 0;
    for (Outage outage : outages) {
      if (outage.node != clientNode && outage.node != serverNode) {
        continue;
      }
      boolean isCrash = endsServer(outage.kind) || outage.kind == FaultClass.CLIENT_CRASH;
      if (isCrash && outage.toNs >= sinceNs) {
        return true;
      }
      if (outage.kind == FaultClass.CONNECTION_LOSS && outage.node == clientNode && outage.toNs >= sinceNs) {
        return true;
      }
      sumNs += isCrash ? 0 : outage.toNs - outage.fromNs;
    }
    return sumNs >= Math.min(RETRY_BUDGET_NS, requestTimeoutNs) / 2;
  }
}
