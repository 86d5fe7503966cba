/**
 * The synchronous engine of shared memory (seed 000 section 6.1): a node that faults locks the minipage's directory entry by an atomic, takes rights of
 * other nodes by atomics on their page tables, fetches the data by RDMA Read, and writes the entry back. No code of another node runs for that.
 *
 * <p>Invariants, for each minipage: who changes the rights of any node in it has locked its entry. A node never has more rights than the entry gives
 * it; it may have fewer. The owner's frame is what the memory holds, and so are those of all copies.
 */
package dev.weft.dsm.direct;
