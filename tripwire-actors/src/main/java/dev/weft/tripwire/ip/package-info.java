/**
 * The Internet Protocol over CLAN (seed 003 section 6.1, figure 8): packets of a host's TUN device are carried into buffers of another
 * host, which offers them by RDMA cookies in a distributed queue; completions come back in a second queue.
 *
 * <p>{@link dev.weft.tripwire.ip.ClanIp} is one host's end. Its {@link dev.weft.tripwire.ip.IpEngine} runs on the hardware thread; {@link
 * dev.weft.tripwire.ip.TunPump} has the two threads that wait for the kernel. {@link dev.weft.tripwire.ip.BufferLedger} decides whose a
 * buffer is.
 *
 * <p>Invariants: all that crosses the network is writes; a buffer is written only between the offer of its cookie and its completion; every
 * queue has a bound, and a packet that finds no room is dropped and counted, as any network may.
 */
package dev.weft.tripwire.ip;
