/**
 * Messages over TCP, for clients outside the fabric and for comparisons. Each JVM has a listener that accepts clients which know the secret. Then a
 * connection carries the same messages as {@link dev.weft.pvfs.wire}, each behind its length, with all data in them: there is no RDMA. Begin with
 * {@link dev.weft.pvfs.tcp.TcpFileSystem} and {@link dev.weft.pvfs.tcp.TcpListener}.
 *
 * <p>One thread watches all sockets of a JVM and tells an actor when its connections are ready; the actor reads and writes. Invariants: before a
 * client has proved the secret, only 64 bytes from it are read. At most {@code handshakes-max} connections are in that state, each for at most
 * {@code handshake}. A channel has a fixed number of send buffers and one receive buffer, whatever the other side does, and fails when that side has
 * accepted nothing for {@code stalled}.
 */
package dev.weft.pvfs.tcp;
