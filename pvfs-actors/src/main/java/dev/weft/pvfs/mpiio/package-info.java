/**
 * Files with the semantics of MPI-IO, on top of the native interface: views, independent and two-phase collective access, file pointers.
 * {@link dev.weft.pvfs.mpiio.Ranks} is the only interface to the ranks, so any message passing fits. Begin with {@code MpiFile}.
 */
package dev.weft.pvfs.mpiio;
