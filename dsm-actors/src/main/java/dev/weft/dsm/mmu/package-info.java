/**
 * Access by page protection (seed 000 sections 3.3 and 4, its reference 14): applications in processes of their own, in any language, use shared memory
 * by plain loads and stores. Protocol and fault handler are in the node's JVM.
 *
 * <p>Invariants: nothing of an application runs when something is taken from it. A page that could be written is write-protected in each address space,
 * then copied to the node's frame, then dropped; only then is the right given up. No thread of the node's JVM touches the pages of applications, so none
 * can stall in a fault of theirs.
 */
package dev.weft.dsm.mmu;
