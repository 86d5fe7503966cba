/**
 * A host's virtual memory, and transfers to and from it without pinning (NetVM, abstract): address spaces with page replacement, a backing store, the
 * shadow page table with which the HCA translates addresses, and the redirect buffer for data of absent pages. Begin with {@link
 * dev.weft.hca.netvm.HostVm}; {@link dev.weft.hca.netvm.NicPages} is the HCA's side.
 *
 * <p>Invariants: a page that is locked for a transfer keeps its frame; a page becomes accessible only after its waiting data was copied, so no program
 * sees it without that data; the buffer holds no more packets than the credits that were given.
 */
package dev.weft.hca.netvm;
