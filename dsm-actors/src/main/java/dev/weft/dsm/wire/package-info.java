/**
 * What nodes of a shared memory say to each other: short control messages, which go by Send (seed 000 section 4); data goes by RDMA, into its place.
 *
 * <p>Invariant: a message is at most {@link dev.weft.dsm.wire.MessageCodec#BYTES_MAX} bytes; what comes in is checked before it is believed.
 */
package dev.weft.dsm.wire;
