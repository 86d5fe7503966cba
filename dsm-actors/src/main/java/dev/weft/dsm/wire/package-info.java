/**
 * The control messages between the nodes of a shared memory ({@link dev.weft.dsm.wire.DsmMessage}). They are short and go by Send (Kernel DSM,
 * section 4); data goes by RDMA to its final place.
 *
 * <p>Invariant: a message has at most {@link dev.weft.dsm.wire.MessageCodec#BYTES_MAX} bytes; receivers check each message before they act on it.
 */
package dev.weft.dsm.wire;
