/**
 * Completion queues: the ring that the hardware thread fills and consumers poll, arming and notification ({@link dev.weft.hca.completion.CqActor}),
 * the release of work queue slots, and completion counters (specification volume 1, section 10.8; Kernel DSM section 3.2). Begin with {@link
 * dev.weft.hca.completion.Cq}.
 *
 * <p>The package knows nothing of queue pairs, packets or memory: the code that completes a request fills in an entry.
 *
 * <p>Invariants: an armed queue notifies once; a slot becomes free only after the place of its completion; an overrun stops this queue and no other.
 */
package dev.weft.hca.completion;
