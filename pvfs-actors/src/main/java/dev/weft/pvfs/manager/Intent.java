package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;

/**
 * What is still to be done on I/O daemons because of a change of the name space: recorded with that, redone after a crash. Doing it twice does no harm.
 * Those of one inode are done in the order of their ids.
 *
 * @param id grows; never used again
 * @param striping says which daemons have the objects of the inode
 * @param sizeBytes of the file behind {@link Kind#TRUNCATE}, otherwise 0
 */
public record Intent(long id, Kind kind, long inode, Striping striping, long sizeBytes) {
  /** What is to be done with the objects of an inode. */
  public enum Kind { REMOVE, TRUNCATE }
}
