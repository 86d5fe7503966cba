/**
 * The consumer's interface to an HCA. Begin with {@link dev.weft.hca.verbs.Hca}: it creates protection domains, memory regions, completion queues and
 * queue pairs of RC, UC and UD, which are interfaces. Requests, attributes, completions and statuses are values. Semantics and names are those of the
 * InfiniBand transport as rdma-core documents them (design section 6).
 *
 * <p>Threads: verbs may be called from any thread. Data-path verbs ({@code postSend}, {@code postReceive}, {@code poll},
 * {@code arm}) never block. Control verbs run on the hardware thread; called from elsewhere they wait for it.
 *
 * <p>Invariants: this package has no logic of the HCA and does not depend on its implementation; of the HCA's packages it uses only {@code netvm}. An
 * object can be used only with the HCA that created it.
 */
package dev.weft.hca.verbs;
