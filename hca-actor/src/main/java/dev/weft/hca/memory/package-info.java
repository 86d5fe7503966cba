/**
 * Registered memory: regions and their keys, windows, domains, memory that the HCA allocates for a consumer, and the access to all of it (specification
 * volume 1, sections 10.6 and 9.4.5). Package {@code netvm} handles unpinned memory. Begin with {@link dev.weft.hca.memory.MrTable} and {@link
 * dev.weft.hca.memory.MemoryAccess}.
 *
 * <p>The package knows a queue pair only by its identity and its use of unpinned memory ({@link dev.weft.hca.memory.UnpinnedUse}), and a packet only by
 * its payload. The caller must check the rights of a peer.
 *
 * <p>Invariants: keys are drawn from all 32 bits; after deregistration has returned, neither this process nor another touches the memory; a window's
 * binding is an ordinary entry of the table. Hardware thread, unless a class says otherwise.
 */
package dev.weft.hca.memory;
