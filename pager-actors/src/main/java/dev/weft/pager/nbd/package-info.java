/**
 * The network block device front end: fixed newstyle handshake, structured replies, block status, on TCP and Unix sockets.
 * It turns client requests into requests to a {@link dev.weft.pager.BlockDevice} and copies no payload: the kernel
 * moves bytes between the socket and the device's registered buffers. One platform thread per connection; every queue is
 * bounded by {@code weft.pager.nbd}. The protocol is the one of {@code doc/proto.md} of the NBD project; seed 001 names NBD
 * as the system to beat.
 */
package dev.weft.pager.nbd;
