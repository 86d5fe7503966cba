/**
 * Registered memory: regions and their keys, windows, domains, what the HCA holds for a consumer, and how it is touched: placing, atomics,
 * gathering (specification volume 1, sections 10.6 and 9.4.5). Memory that is not pinned goes through {@code netvm}.
 *
 * <p>Knows of a queue pair only who it is, and what it has to do with memory that is not pinned
 * ({@link dev.weft.hca.memory.UnpinnedUse}); of packets, their payload. Whether a peer may do something is the caller's to ask.
 *
 * <p>Invariants: a key is drawn from all 32 bits; when deregistration returns nothing touches the memory any more, in other processes either;
 * a window's binding is an entry of the table like any other. Hardware thread, but where a class says otherwise.
 */
package dev.weft.hca.memory;
