/**
 * A provider of the Virtual Interface Architecture over apertures and Tripwires (seed 003 section 9 announces one). VIs with work queues of
 * descriptors, completion queues, memory registration with protection tags, send and receive, RDMA write with and without immediate data,
 * connections by discriminator; names are those of the VI Provider Library without their {@code Vip}.
 *
 * <p>A posted receive is offered to the other side by cookies of exactly its bytes, which are taken back when it completes; a send goes by DMA
 * into the oldest offer, and a completion follows it. {@link dev.weft.tripwire.via.ViSender} and {@link dev.weft.tripwire.via.ViReceiver}
 * decide, {@link dev.weft.tripwire.via.ViaEngine} runs them on the hardware thread; applications post and wait on their own threads.
 *
 * <p>Reliable delivery: a send completes when its bytes have left, they arrive once and in order, and an error ends the connection. All that
 * crosses the network is writes, so that there is no RDMA read. Invariants: descriptors complete in the order in which they were posted;
 * every queue has a bound; a buffer is not written after its receive has completed.
 */
package dev.weft.tripwire.via;
