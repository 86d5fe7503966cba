/**
 * Management of memory ranges: {@link dev.weft.pager.memory.RegionAllocator}, a first-fit allocator (HPBD section 4.3.2), and {@link
 * dev.weft.pager.memory.SparseMap}, the map of a sparse area. Not thread safe.
 */
package dev.weft.pager.memory;
