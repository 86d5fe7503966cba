/**
 * The synchronous engine of shared memory (Kernel DSM, section 6.1). A faulting node locks the minipage's directory entry by an atomic, takes rights
 * of other nodes by atomics on their page tables, fetches the data by RDMA Read, and writes the entry back. No code of another node runs for a fault.
 * Begin with {@link dev.weft.dsm.direct.SynchronousCore}.
 *
 * <p>Invariants for each minipage: a node that changes any node's rights has locked the entry. A node never has more rights than the entry gives it;
 * it may have fewer. The frames of the owner and of all nodes with copies have the current content.
 */
package dev.weft.dsm.direct;
