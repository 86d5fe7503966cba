/** Book-keeping of memory ranges: a first-fit allocator (seed 001 section 4.3.2) and the map of a sparse area. No threads. */
package dev.weft.pager.memory;
