package dev.weft.pager.client;

/**
 * The state of a registered pool, in bytes.
 *
 * @param largestFreeBytes length of the longest request that would get a buffer now
 * @param fragments number of free ranges
 * @param waiters number of waiting callers
 * @param waits number of calls that had to wait so far
 * @param sharesMax largest number of shares
 * @param shares number of shares in use
 * @param shareUsedBytes number of bytes borrowed from the shares
 */
public record PoolSnapshot(
    long sizeBytes, long usedBytes, long freeBytes, long largestFreeBytes, int fragments, int waiters, long waits, int sharesMax,
    int shares, long shareUsedBytes) {}
