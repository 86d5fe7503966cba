package dev.weft.pvfs.manager;

/**
 * The sizes of a name space.
 *
 * @param inodes with the root and open inodes without a name
 * @param orphans inodes without a name
 * @param intents effects on daemons that are not done
 * @param opens pairs of a session and an inode
 */
public record Counts(long inodes, long orphans, long intents, long opens) {}
