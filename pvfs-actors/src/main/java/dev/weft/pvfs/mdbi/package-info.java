/** The multi-dimensional block interface of PVFS 1.x, on the native interface: a file as an array of records, moved by blocks. */
package dev.weft.pvfs.mdbi;
