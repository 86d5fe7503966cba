package dev.weft.pvfs.fuse;

/**
 * Attributes of an inode.
 *
 * @param inode its number, by which the kernel asks for it; 1 is the root
 * @param mode type and permissions, as {@code st_mode}
 * @param blocks of 512 bytes each that it takes
 * @param blockBytes the size of a transfer that suits it
 * @param atimeNs of the last access, nanoseconds since 1970
 * @param mtimeNs of the last change of its content
 * @param ctimeNs of the last change
 */
public record FuseAttributes(long inode, int mode, int links, int uid, int gid, int device, long sizeBytes, long blocks, int blockBytes, long atimeNs,
    long mtimeNs, long ctimeNs) {}
