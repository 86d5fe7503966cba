/**
 * Trunks: the cables between the switches of two JVMs, over Aeron. The sender writes a packet once, directly into a claimed Aeron
 * frame; the receiver reads it in place. JVMs of one host use shared memory, hosts use UDP. Begin with {@link
 * dev.weft.fabric.trunk.TrunkEndpoint}.
 *
 * <p>Threads: code that touches a packet runs on the hardware thread. The agent of the JVM creates and closes Aeron resources.
 *
 * <p>Invariants: a frame of a receive buffer is given back to Aeron only after every packet up to it was released; a {@link
 * dev.weft.fabric.trunk.TrunkCable} writes or discards, releases and counts each packet exactly once; the switch port never
 * gets a packet for which it has not granted a credit.
 */
package dev.weft.fabric.trunk;
