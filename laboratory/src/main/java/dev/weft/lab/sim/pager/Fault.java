package dev.weft.lab.sim.pager;

/**
 * A fault of one node.
 *
 * @param node index among all nodes: servers, then clients, then idle ones
 * @param fromNs when it begins, from the start of the workload
 * @param toNs when it ends; for crashes when the node comes back, {@link #NEVER} if it does not
 * @param amount LATENCY, SLOW_SERVER: nanoseconds, {@link #FOR_EVER} while it lasts; crashes: nanoseconds until the others are told;
 *     PARTITION: directions, bit 0 out
 *     of the node, bit 1 into it; CONNECTION_LOSS: index of the server
 */
record Fault(FaultClass kind, int node, long fromNs, long toNs, long amount) {
  static final long NEVER = Long.MAX_VALUE;
  static final long FOR_EVER = 0;
}
