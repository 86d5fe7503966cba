/**
 * Channel messages over reliable connected queue pairs, with the buffer management taken off the protocol's hands (seed
 * 000 sections 3.1 and 3.2): send buffers are reserved, filled and sent, and come back by an occasional signaled
 * completion; receive buffers are lent to the handler for the time of its call and posted again in rotation; one
 * completion queue and one handler serve all connections, with at most one notification outstanding. Or peers write their messages by
 * RDMA into mailboxes, and a Tripwire tells of that (seed 003 section 2.5).
 *
 * <p>Invariants: a send buffer is either free, reserved by the protocol or referred to by a posted request; of a channel's
 * posted requests fewer than {@code signalEvery} follow the last signaled one, so buffers always come back; the
 * completion queue is as large as all channels' queues together, so it cannot overrun. Everything here belongs to one
 * actor and is used on its thread only.
 */
package dev.weft.hca.messaging;
