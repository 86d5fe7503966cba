/**
 * Homes of minipages: which node has a copy, which may write, and which request is next (Kernel DSM, section 4 and reference 14). Begin with
 * {@link dev.weft.dsm.home.HomeCore}. The classes only decide; time, threads and the network are elsewhere.
 *
 * <p>Invariants: a home serves one request for a minipage at a time and waits for its confirmation before the next one. Nodes give up their copies
 * before another node may write. While a home does nothing with a minipage, the minipage has one writable copy, or readable copies, or it has none
 * and is lost.
 */
package dev.weft.dsm.home;
