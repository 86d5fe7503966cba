/**
 * A host's virtual memory, and what the HCA needs to transfer to and from it without pinning (seed 004, abstract): address spaces whose
 * pages are replaced by clock, a backing store, the shadow page table that the HCA translates with, and the buffer that data for absent
 * pages waits in.
 *
 * <p>Invariants: a page that is locked for a transfer keeps its frame; a page becomes accessible only after the data that waited for
 * it was copied, so nobody sees a page without it; the buffer holds no more packets than the credits that were given.
 */
package dev.weft.hca.netvm;
