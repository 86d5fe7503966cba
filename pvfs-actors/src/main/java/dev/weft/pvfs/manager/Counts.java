package dev.weft.pvfs.manager;

/**
 * How much there is in a name space.
 *
 * @param inodes the root and open ones without a name included
 * @param orphans of these, those without a name
 * @param intents effects on daemons that are not done
 * @param opens pairs of a session and an inode
 */
public record Counts(long inodes, long orphans, long intents, long opens) {}
