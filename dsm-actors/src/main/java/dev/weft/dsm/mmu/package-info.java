/**
 * Access by page protection (Kernel DSM, sections 3.3 and 4, and its reference 14): applications in processes of their own, in any language, use
 * shared memory by plain loads and stores. Protocol and fault handler run in the node's JVM. Begin with {@link dev.weft.dsm.mmu.MmuServer} at the
 * node, {@link dev.weft.dsm.mmu.MmuSpace} in a Java application.
 *
 * <p>Invariants: no code of an application runs when a minipage is taken from it. A writable page is write-protected in each address space, then
 * copied to the node's frame, then dropped; only then does the node give up the right. No thread of the node's JVM touches the pages of applications,
 * so none can stall in their faults.
 */
package dev.weft.dsm.mmu;
