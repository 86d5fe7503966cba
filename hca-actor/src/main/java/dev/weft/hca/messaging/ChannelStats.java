package dev.weft.hca.messaging;

/**
 * A snapshot of one channel.
 *
 * @param sent messages sent since the channel was opened
 * @param received messages received
 * @param signaled requests that asked for a completion
 * @param freeBuffers free send buffers
 * @param reservedBuffers send buffers that the protocol holds
 * @param posted requests in the send queue whose completion has not been seen
 */
public record ChannelStats(
    long sent, long received, long signaled, int freeBuffers, int reservedBuffers, int posted) {}
