package dev.weft.pager.client;

/**
 * The state of a registered pool, in bytes.
 *
 * @param largestFreeBytes longest request that would get a buffer now
 * @param fragments free ranges
 * @param waiters callers waiting
 * @param waits callers that ever had to wait
 */
public record PoolSnapshot(
    long sizeBytes, long usedBytes, long freeBytes, long largestFreeBytes, int fragments, int waiters, long waits) {}
