/**
 * Messages over reliable connected queue pairs, with buffer management for the protocol (Kernel DSM sections 3.1 and 3.2). Alternatively, peers write
 * their messages by RDMA into mailboxes, and a Tripwire notifies of that (CLAN section 2.5). Begin with {@link
 * dev.weft.hca.messaging.MessageEndpoint} and {@link dev.weft.hca.messaging.MessageChannel}.
 *
 * <ul>
 *   <li>The protocol reserves, fills and sends a send buffer. An occasional signaled completion frees the buffers.
 *   <li>The handler uses a receive buffer during its call; then the channel posts it again.
 *   <li>One completion queue and one handler serve all connections, with at most one notification outstanding.
 * </ul>
 *
 * <p>Invariants: a send buffer is free, reserved by the protocol, or in use by a posted request. Fewer than {@code signalEvery} of a channel's posted
 * requests follow the last signaled one, so buffers always become free again. The completion queue is as large as all channels' queues together, so it
 * cannot overrun. All objects belong to one actor and are used on its thread only.
 */
package dev.weft.hca.messaging;
