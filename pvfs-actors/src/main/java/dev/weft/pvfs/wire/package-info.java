/**
 * What clients and I/O daemons send each other, in little endian, each message with the version of the protocol in its first byte (seed 002 section 4.1):
 * requests and replies by Send or, in the middle band, by RDMA Write with immediate into a buffer that the receiver has lent; data by RDMA or behind the
 * message.
 */
package dev.weft.pvfs.wire;
