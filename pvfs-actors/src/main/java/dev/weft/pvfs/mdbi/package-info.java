/**
 * The multi-dimensional block interface of PVFS 1.x, on top of the native interface: a file as an array of records, moved by blocks. Begin with
 * {@link dev.weft.pvfs.mdbi.BlockFile}.
 */
package dev.weft.pvfs.mdbi;
