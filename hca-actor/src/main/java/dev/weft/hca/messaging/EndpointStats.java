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
 * @param deferrals times that a handler could not finish in its interrupt service routine
 * @param deferred completions handled in process context because of that, in order
 * @param pollPhases times that a wait for a reply was polled instead of interrupted
 * @param pollTimeouts of these, ended by the limit and not by a completion
 * @param events of the completion queue
 * @param writeNotices times that it was told of a write to a mailbox
 */
public record EndpointStats(
    int channels, long notifications, long completions, long burstMax, int cqEntries, int cqEntriesPromised, long deferrals,
    long deferred, long pollPhases, long pollTimeouts, long events, long writeNotices) {}
