/**
 * The transport services: queue pairs, their rings and states, and for each of RC, UC and UD a requester and a responder, which know
 * queues and packets and not the consumer's {@code Hca} (specification volume 1, chapter 9). Of the device they know
 * {@link dev.weft.hca.transport.HcaView}: the parts below, and who transmits.
 *
 * <p>Invariants: what is to be sent is state of a queue pair, not a queued packet (docs/internals/decisions/0003); requests complete in the order in which
 * they were posted; a request of RC is executed once, however often it arrives. Hardware thread, but for posting.
 */
package dev.weft.hca.transport;
