/**
 * Files as MPI-IO has them, on the native interface: views, independent and collective access in two phases, file pointers. The ranks are known by
 * {@link dev.weft.pvfs.mpiio.Ranks} only, so that any message passing will do.
 */
package dev.weft.pvfs.mpiio;
