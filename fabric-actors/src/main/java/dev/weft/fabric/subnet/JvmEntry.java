package dev.weft.fabric.subnet;

/**
 * One JVM of the cluster.
 *
 * @param jvm {@code host:port} of its Akka address
 * @param incarnation tells a JVM from an earlier one at the same address: Akka's uid
 * @param streamId its number in the fabric and its trunk stream, 1 to 32767; 0 while not assigned
 * @param driverId names its media driver; equal ids share memory
 * @param udpAddress where it takes UDP trunks, {@code host:port}; empty for nowhere
 * @param pathMtuBytes largest payload of a packet that its trunks carry
 * @param reachable false while the cluster's failure detector does not hear it: its links are down
 */
public record JvmEntry(
    String jvm,
    long incarnation,
    int streamId,
    String driverId,
    String udpAddress,
    int pathMtuBytes,
    boolean reachable) {

  boolean isSameIncarnation(JvmEntry other) {
    return other != null && jvm.equals(other.jvm) && incarnation == other.incarnation;
  }

  JvmEntry with(int newStreamId, boolean nowReachable) {
    return new JvmEntry(jvm, incarnation, newStreamId, driverId, udpAddress, pathMtuBytes, nowReachable);
  }
}
