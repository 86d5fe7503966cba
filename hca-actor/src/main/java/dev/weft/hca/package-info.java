/**
 * The HCA and its verbs interface: protection domains, memory regions, completion queues, queue
 * pairs of RC, UC and UD. Semantics and names are those of the InfiniBand transport as rdma-core documents them (design section 6).
 *
 * <p>Threads: verbs may be called from any thread. Data-path verbs ({@code postSend}, {@code postReceive}, {@code poll},
 * {@code arm}) never block. Control verbs run on the hardware thread; called from elsewhere they wait for it.
 */
package dev.weft.hca;
