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
 */
public record ReleaseCounts(int pages, int twins, long twinBytes, long fetches, long passes, long batches, long batchBytes, long copies) {}
