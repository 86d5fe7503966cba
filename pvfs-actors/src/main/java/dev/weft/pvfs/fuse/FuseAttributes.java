package dev.weft.pvfs.fuse;

/**
 * Attributes of an inode.
 *
 * @param inode its number, by which the kernel names it; 1 is the root
 * @param mode type and permissions, as in {@code st_mode}
 * @param blocks space in units of 512 bytes
 * @param blockBytes preferred size of a transfer
 * @param atimeNs of the last access, nanoseconds since 1970
 * @param mtimeNs of the last change of its content
 * @param ctimeNs of the last change
 */
public record FuseAttributes(long inode, int mode, int links, int uid, int gid, int device, long sizeBytes, long blocks, int blockBytes, long atimeNs,
    long mtimeNs, long ctimeNs) {}
