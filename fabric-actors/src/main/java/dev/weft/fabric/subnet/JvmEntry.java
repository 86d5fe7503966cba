package dev.weft.fabric.subnet;

import dev.weft.fabric.trunk.TrunkAddress;

/**
 * One JVM of the cluster.
 *
 * @param jvm {@code host:port} of its Akka address
 * @param incarnation tells a JVM from an earlier one at the same address: Akka's uid
 * @param number its number in the fabric, which its trunks carry, 1 to 32767; 0 while not assigned
 * @param trunks where it takes trunks
 * @param reachable false while the cluster's failure detector does not hear it: its links are down
 */
public record JvmEntry(
    String jvm,
    long incarnation,
    int number,
    TrunkAddress trunks,
    boolean reachable) {

  boolean isSameIncarnation(JvmEntry other) {
    return other != null && jvm.equals(other.jvm) && incarnation == other.incarnation;
  }

  JvmEntry with(int newNumber, boolean nowReachable) {
    return new JvmEntry(jvm, incarnation, newNumber, trunks, nowReachable);
  }
}
