package dev.weft.pvfs.manager;

/**
 * What the whole name space has once. It changes with the operations that change it, in the same batch.
 *
 * @param nextInode the number of the next inode; only grows
 * @param nextIntent the same of intents
 * @param nextBase counts files that were spread over the daemons
 * @param commits batches that were written
 * @param inodes those that are there, open ones without a name included
 * @param intents those that are not done
 * @param orphans inodes without a name that are kept for sessions
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
