/**
 * A provider of the Virtual Interface Architecture over apertures and Tripwires (CLAN, section 9, announces one). It has VIs with work queues of
 * descriptors, completion queues, memory registration with protection tags, send and receive, RDMA write with and without immediate data, and
 * connections by discriminator. Names are those of the VI Provider Library without {@code Vip}. Begin with {@link dev.weft.tripwire.via.ViaNic}.
 *
 * <p>The receiver offers a posted receive to the other side by cookies for exactly its bytes, and revokes them when the receive completes. A send
 * goes by DMA into the oldest offer, and a completion follows it. {@link dev.weft.tripwire.via.ViSender} and {@link dev.weft.tripwire.via.ViReceiver}
 * decide, {@link dev.weft.tripwire.via.ViaEngine} runs them on the hardware thread; applications post and wait on their own threads.
 *
 * <p>Reliable delivery: a send completes when its bytes have left; they arrive once and in order; an error ends the connection. All network traffic
 * is writes, so there is no RDMA read. Invariants: descriptors complete in the order in which they were posted; every queue has a bound; a buffer is
 * not written after its receive has completed.
 */
package dev.weft.tripwire.via;
