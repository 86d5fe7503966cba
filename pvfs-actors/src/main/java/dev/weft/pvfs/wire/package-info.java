/**
 * The messages between clients, I/O daemons and the manager (PVFS over InfiniBand, section 4.1). Numbers are little-endian; the first byte is the
 * version of the protocol. Messages go by Send or, in the band FAST, by RDMA Write with immediate into a buffer that the receiver has lent; data goes
 * by RDMA or behind the message. Begin with {@code DaemonRequest} and {@code MetaRequest}.
 */
package dev.weft.pvfs.wire;
