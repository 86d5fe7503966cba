/**
 * The file system as a mount: what the kernel asks ({@link dev.weft.pvfs.fuse}) is asked of the manager and the daemons. A thread of the mount waits for each
 * answer, and does the work of the hardware meanwhile.
 */
package dev.weft.pvfs.mount;
