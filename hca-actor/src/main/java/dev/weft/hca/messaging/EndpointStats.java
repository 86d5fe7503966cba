package dev.weft.hca.messaging;

/**
 * A snapshot of one endpoint.
 *
 * @param channels open channels
 * @param notifications times that the owner was woken and serviced the queue
 * @param completions completions handled
 * @param burstMax most completions handled by one wake-up
 * @param cqEntries size of the completion queue
 * @param cqEntriesPromised entries that the open channels can fill
 */
public record EndpointStats(
    int channels, long notifications, long completions, long burstMax, int cqEntries, int cqEntriesPromised) {}
