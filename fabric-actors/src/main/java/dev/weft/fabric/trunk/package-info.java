/**
 * Trunks: the cables between the switches of two JVMs, laid over Aeron (design section 3, step 3). A packet is written once,
 * straight into a claimed Aeron frame, and read in place at the other side; shared memory between the JVMs of a host, UDP
 * between hosts.
 *
 * <p>Threads: everything that touches a packet runs on the hardware thread. Aeron resources are created and closed by the
 * agent of the JVM.
 *
 * <p>Invariants: a frame of a receive buffer is given back to Aeron only after every packet up to it was released; a packet
 * handed to a {@link dev.weft.fabric.trunk.TrunkCable} is written or discarded, released and counted exactly once; the
 * switch port never gets a packet for which it has not granted a credit.
 */
package dev.weft.fabric.trunk;
