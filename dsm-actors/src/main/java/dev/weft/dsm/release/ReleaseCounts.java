package dev.weft.dsm.release;

/**
 * Counters of one node with release consistency.
 *
 * @param pages minipages that the node has a copy of
 * @param twins minipages that have a twin now, with {@code twinBytes} in total
 * @param fetches copies that the node has fetched
 * @param passes passes over its twins
 * @param batches batches of updates and contents that the node has sent, with {@code batchBytes} in total; each counts once
 * @param copies copies of batches sent, one for each receiver
 * @param multicasts batches that went to the multicast group
 * @param datagramsSent datagrams sent to the group
 * @param datagramsPlaced datagrams from other nodes whose data was copied to its place
 * @param datagramsDropped datagrams that came twice or too late
 * @param asked questions to nodes that had not confirmed a batch in time
 * @param repairs batches sent again on a connection, because a node lacked a part
 */
public record ReleaseCounts(int pages, int twins, long twinBytes, long fetches, long passes, long batches, long batchBytes, long copies, long multicasts,
    long datagramsSent, long datagramsPlaced, long datagramsDropped, long asked, long repairs) {}
