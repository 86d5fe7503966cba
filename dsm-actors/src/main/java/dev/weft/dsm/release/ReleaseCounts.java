package dev.weft.dsm.release;

/**
 * What one node has done for release consistency.
 *
 * @param pages minipages of which it has a copy
 * @param twins of them have a twin now, of {@code twinBytes} together
 * @param fetches copies that it has got
 * @param passes over its twins
 * @param batches of updates and contents that it has sent, of {@code batchBytes} together, each counted once
 * @param copies that were sent of them, one for each receiver
 * @param multicasts batches of these that went to the multicast group
 * @param datagramsSent to it
 * @param datagramsPlaced that came from other nodes, and were put into their places
 * @param datagramsDropped that came twice, or too late
 * @param asked nodes that had not answered in time whether they have a batch, each time
 * @param repairs batches that a node lacked some of, and that went to it once more on its connection
 */
public record ReleaseCounts(int pages, int twins, long twinBytes, long fetches, long passes, long batches, long batchBytes, long copies, long multicasts,
    long datagramsSent, long datagramsPlaced, long datagramsDropped, long asked, long repairs) {}
