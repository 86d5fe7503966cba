package dev.weft.fabric.subnet;

import dev.weft.fabric.trunk.TrunkAddress;

/**
 * One JVM of the cluster.
 *
 * @param jvm {@code host:port} of its Akka address
 * @param incarnation Akka's uid, which distinguishes a JVM from an earlier one at the same address
 * @param number its number in the fabric, which its trunks carry, 1 to 32767; 0 while not assigned
 * @param trunks the address at which it accepts trunks
 * @param reachable false while the cluster's failure detector does not hear it; its trunks stay, but inspection shows them as down
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
