/**
 * Completion queues: the ring that the hardware thread fills and consumers poll, arming, the interrupt
 * ({@link dev.weft.hca.completion.CqActor}); which slots of a work queue come back with a completion; counters instead of entries
 * (specification volume 1, section 10.8; seed 000 section 3.2).
 *
 * <p>Knows nothing of queue pairs, packets or memory: who completes a request fills in an entry.
 *
 * <p>Invariants: an armed queue notifies once; a slot is free only after the place of its completion is; an overrun ends this queue and no other.
 */
package dev.weft.hca.completion;
