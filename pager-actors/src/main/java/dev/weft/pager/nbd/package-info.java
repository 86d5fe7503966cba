/**
 * The network block device front end: fixed newstyle handshake, structured replies, block status, on TCP and Unix sockets.
 * It turns client requests into requests to a {@link dev.weft.pager.BlockDevice} and copies no long payload: the kernel
 * moves bytes between the socket and the device's registered buffers. Each connection has one platform thread; the settings {@code weft.pager.nbd}
 * limit every queue. {@code doc/proto.md} of the NBD project specifies the protocol. Begin with {@link dev.weft.pager.nbd.NbdServer} and {@link
 * dev.weft.pager.nbd.Transmission}. HPBD compares its performance with NBD.
 */
package dev.weft.pager.nbd;
