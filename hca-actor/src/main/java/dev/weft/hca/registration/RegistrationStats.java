package dev.weft.hca.registration;

/**
 * Counters of a strategy, at one moment.
 *
 * @param hits acquisitions that found a registration
 * @param misses acquisitions that had to register
 * @param evictions idle registrations given up for want of room
 * @param stale registrations given up because their memory was freed or their keys were invalidated
 * @param regions registered ranges that can be found
 * @param inUse of these, and of those whose memory was freed meanwhile, how many somebody holds
 * @param waiting ranges that wait for batched deregistration
 * @param registeredBytes bytes of everything that is registered, those that wait included
 * @param pinnedBytes of these, in ranges whose pages are locked
 * @param unpinned registrations so far whose pages are not locked
 * @param batches batched deregistrations
 */
public record RegistrationStats(long hits, long misses, long evictions, long stale, int regions, int inUse, int waiting,
    long registeredBytes, long pinnedBytes, long unpinned, long batches) {

  /** Hits among acquisitions, 0 to 1; 0 before the first. */
  public double hitRatio() {
    return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
  }
}
