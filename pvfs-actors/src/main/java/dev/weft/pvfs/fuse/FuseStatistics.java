package dev.weft.pvfs.fuse;

/**
 * Figures of a file system, as statfs(2) shows them.
 *
 * @param blockBytes of the blocks that are counted here
 * @param available free blocks that are not kept for root
 */
public record FuseStatistics(int blockBytes, long blocks, long free, long available, long inodes, long freeInodes, int nameBytesMax) {}
