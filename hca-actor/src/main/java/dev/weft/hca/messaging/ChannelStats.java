package dev.weft.hca.messaging;

/**
 * A snapshot of one channel.
 *
 * @param sent messages sent since it was opened
 * @param received messages received
 * @param signaled requests that asked for a completion
 * @param freeBuffers send buffers free now
 * @param reservedBuffers send buffers that the protocol holds
 * @param posted requests in the send queue that are not known to be complete
 */
public record ChannelStats(
    long sent, long received, long signaled, int freeBuffers, int reservedBuffers, int posted) {}
