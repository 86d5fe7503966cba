/**
 * The file system as a mount: turns the kernel's requests ({@link dev.weft.pvfs.fuse}) into requests to the manager and the daemons. A thread of the
 * mount waits for each answer and does the work of the hardware meanwhile. Begin with {@code MountedFiles}.
 */
package dev.weft.pvfs.mount;
