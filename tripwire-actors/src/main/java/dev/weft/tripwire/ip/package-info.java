/**
 * The Internet Protocol over CLAN (CLAN, section 6.1, figure 8). Packets of a host's TUN device are written into buffers of another host. That host
 * offers the buffers by RDMA cookies in a distributed queue; completions come back in a second queue.
 *
 * <p>{@link dev.weft.tripwire.ip.ClanIp} is one host's end. Its {@link dev.weft.tripwire.ip.IpEngine} runs on the hardware thread;
 * {@link dev.weft.tripwire.ip.TunPump} has the two threads that wait for the kernel. {@link dev.weft.tripwire.ip.BufferLedger} tracks the owner of
 * each buffer.
 *
 * <p>Invariants: all network traffic is writes. A buffer is written only between the offer of its cookie and its completion. Every queue has a bound;
 * a packet that finds no room is dropped and counted, as in any network.
 */
package dev.weft.tripwire.ip;
