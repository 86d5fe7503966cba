package dev.weft.pvfs.manager;

/**
 * Counters of the whole name space. They change in the batch of the operations that change them.
 *
 * @param nextInode number of the next inode; only grows
 * @param nextIntent id of the next intent; only grows
 * @param nextBase counts files that were spread over the daemons
 * @param commits batches written
 * @param inodes existing inodes, with open ones without a name
 * @param intents unfinished intents
 * @param orphans inodes without a name that sessions have open
 */
public record SuperBlock(long nextInode, long nextIntent, long nextBase, long commits, long inodes, long intents, long orphans) {
  static final SuperBlock EMPTY = new SuperBlock(Inode.ROOT, 1, 0, 0, 0, 0, 0);

  SuperBlock inodeAdded() {
    return new SuperBlock(nextInode + 1, nextIntent, nextBase, commits, inodes + 1, intents, orphans);
  }

  SuperBlock inodeRemoved() {
    return new SuperBlock(nextInode, nextIntent, nextBase, commits, inodes - 1, intents, orphans);
  }

  SuperBlock spread() {
    return new SuperBlock(nextInode, nextIntent, nextBase + 1, commits, inodes, intents, orphans);
  }

  SuperBlock intentAdded() {
    return new SuperBlock(nextInode, nextIntent + 1, nextBase, commits, inodes, intents + 1, orphans);
  }

  SuperBlock intentDone() {
    return new SuperBlock(nextInode, nextIntent, nextBase, commits, inodes, intents - 1, orphans);
  }

  SuperBlock orphans(int delta) {
    return new SuperBlock(nextInode, nextIntent, nextBase, commits, inodes, intents, orphans + delta);
  }

  SuperBlock committed() {
    return new SuperBlock(nextInode, nextIntent, nextBase, commits + 1, inodes, intents, orphans);
  }
}
