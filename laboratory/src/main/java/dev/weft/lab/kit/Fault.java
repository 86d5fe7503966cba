package dev.weft.lab.kit;

/**
 * A fault of one node: none of those that cables do to packets.
 *
 * @param node index among all nodes: servers, then clients, then idle ones
 * @param fromNs when it begins, from the start of the workload
 * @param toNs when it ends; for crashes when the node comes back, {@link #NEVER} if it does not
 * @param amount LATENCY, SLOW_SERVER: nanoseconds, {@link #FOR_EVER} while it lasts; crashes: nanoseconds until the others are told;
 *     PARTITION: directions, bit 0 out
 *     of the node, bit 1 into it; CONNECTION_LOSS: index of the server
 */
public record Fault(FaultClass kind, int node, long fromNs, long toNs, long amount) {
  public static final long NEVER = Long.MAX_VALUE;
  public static final long FOR_EVER = 0;
}
