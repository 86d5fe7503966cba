/**
 * What a consumer holds: an {@link dev.weft.hca.verbs.Hca}, and what it gives - protection domains, memory regions, completion queues, queue pairs
 * of RC, UC and UD - as interfaces; requests, attributes, completions and statuses as values. Semantics and names are those of the InfiniBand
 * transport as rdma-core documents them (design section 6).
 *
 * <p>Threads: verbs may be called from any thread. Data-path verbs ({@code postSend}, {@code postReceive}, {@code poll},
 * {@code arm}) never block. Control verbs run on the hardware thread; called from elsewhere they wait for it.
 *
 * <p>Invariants: nothing is decided here, and nothing here knows who does: this room stands below all others of the HCA but {@code netvm}. An object
 * is good only with the HCA that gave it.
 */
package dev.weft.hca.verbs;
