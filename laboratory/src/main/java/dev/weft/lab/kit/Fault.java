package dev.weft.lab.kit;

/**
 * A fault of one node; faults of cables on packets are not included.
 *
 * @param node index among all nodes: servers, then clients, then idle ones
 * @param fromNs start, from the start of the workload
 * @param toNs end; for crashes the return of the node, {@link #NEVER} if it does not return
 * @param amount LATENCY, SLOW_SERVER: nanoseconds, {@link #FOR_EVER} to stall while it lasts; crashes: nanoseconds until the other nodes learn of
 *     it; PARTITION: directions, bit 0 out of the node, bit 1 into it; CONNECTION_LOSS: index of the server
 */
public record Fault(FaultClass kind, int node, long fromNs, long toNs, long amount) {
  public static final long NEVER = Long.MAX_VALUE;
  public static final long FOR_EVER = 0;
}
