package dev.weft.hca.registration;

/**
 * A snapshot of a strategy's counters.
 *
 * @param hits acquisitions that found a registration
 * @param misses acquisitions that had to register
 * @param evictions idle registrations dropped for lack of room
 * @param stale registrations dropped because their memory was freed or their keys were invalidated
 * @param regions registered ranges that lookups can find
 * @param inUse ranges in use, including those whose memory was freed during the use
 * @param waiting ranges that wait for batched deregistration
 * @param registeredBytes bytes of all registered ranges, including the waiting ones
 * @param pinnedBytes bytes of the registered ranges whose pages are locked
 * @param unpinned number of registrations so far whose pages were not locked
 * @param batches batched deregistrations
 */
public record RegistrationStats(long hits, long misses, long evictions, long stale, int regions, int inUse, int waiting,
    long registeredBytes, long pinnedBytes, long unpinned, long batches) {

  /** The share of hits among all acquisitions, 0 to 1; 0 before the first acquisition. */
  public double hitRatio() {
    return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
  }
}
