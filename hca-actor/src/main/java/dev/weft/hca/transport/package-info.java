/**
 * The transport services: queue pairs, their rings and states, and a requester and a responder for each of RC, UC and UD (specification volume 1,
 * chapter 9). Requesters and responders know the queues and attributes of their {@code QpContext}, and packets, but not the consumer's {@code Hca}; they
 * see the device as {@code TransportDevice}. Begin with {@link dev.weft.hca.transport.Qp}.
 *
 * <p>Invariants: all data to send is state of a queue pair, not a queued packet (docs/internals/decisions/0003); requests complete in the order in which
 * they were posted; an RC request is executed once, however often it arrives. Hardware thread, except for posting.
 */
package dev.weft.hca.transport;
