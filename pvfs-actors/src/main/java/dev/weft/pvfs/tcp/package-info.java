/**
 * Messages over TCP, for clients outside of the fabric and to compare with. A listener of each JVM lets clients in that know the secret; from then on a
 * connection carries the very messages of {@link dev.weft.pvfs.wire}, each behind its length, and all data goes with them: no RDMA.
 *
 * <p>One thread looks at all sockets of a JVM and tells the actor whose connection has something; the actor reads and writes. Invariants: before a client has
 * shown that it knows the secret nothing of it is looked at but 64 bytes; of connections that have not there are at most {@code handshakes-max}, each for
 * {@code handshake} at most; a channel has a fixed number of send buffers and one buffer to receive, whatever the other side does, and fails when that has
 * taken nothing for {@code stalled}.
 */
package dev.weft.pvfs.tcp;
