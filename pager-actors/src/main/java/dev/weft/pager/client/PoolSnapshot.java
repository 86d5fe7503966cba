package dev.weft.pager.client;

/**
 * The state of a registered pool, in bytes.
 *
 * @param largestFreeBytes longest request that would get a buffer now
 * @param fragments free ranges
 * @param waiters callers waiting
 * @param waits callers that ever had to wait
 * @param sharesMax consumers that can have a range of their own behind the pool
 * @param shares those that have one
 * @param shareUsedBytes what they use of these
 */
public record PoolSnapshot(
    long sizeBytes, long usedBytes, long freeBytes, long largestFreeBytes, int fragments, int waiters, long waits, int sharesMax,
    int shares, long shareUsedBytes) {}
