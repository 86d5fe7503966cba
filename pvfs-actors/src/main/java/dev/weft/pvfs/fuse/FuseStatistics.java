package dev.weft.pvfs.fuse;

/**
 * Statistics of a file system for statfs(2).
 *
 * @param blockBytes size of the blocks that are counted here
 * @param available free blocks that are not reserved for root
 */
public record FuseStatistics(int blockBytes, long blocks, long free, long available, long inodes, long freeInodes, int nameBytesMax) {}
