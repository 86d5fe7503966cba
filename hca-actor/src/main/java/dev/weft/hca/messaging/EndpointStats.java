package dev.weft.hca.messaging;

/**
 * A snapshot of one endpoint.
 *
 * @param channels open channels
 * @param notifications how often the owner was woken and serviced the queue
 * @param completions completions handled
 * @param burstMax the largest number of completions handled after one wake-up
 * @param cqEntries size of the completion queue
 * @param cqEntriesPromised entries that the open channels can fill
 * @param deferrals how often a handler could not finish in its interrupt service routine
 * @param deferred completions handled in process context after such a deferral
 * @param pollPhases how often the endpoint polled for a reply instead of waiting for an interrupt
 * @param pollTimeouts how many of these polls ended at their time limit without a completion
 * @param events notifications of the completion queue
 * @param writeNotices how often the endpoint learned of a write to a mailbox
 */
public record EndpointStats(
    int channels, long notifications, long completions, long burstMax, int cqEntries, int cqEntriesPromised, long deferrals,
    long deferred, long pollPhases, long pollTimeouts, long events, long writeNotices) {}
