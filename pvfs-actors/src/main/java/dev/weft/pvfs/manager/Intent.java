package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;

/**
 * Work for I/O daemons that a change of the name space requires. It is stored with the change, and repeated after a crash; doing it twice is
 * harmless. Intents of one inode run in the order of their ids.
 *
 * @param id grows; never reused
 * @param striping tells which daemons have the objects of the inode
 * @param sizeBytes length of the file after {@link Kind#TRUNCATE}, otherwise 0
 */
public record Intent(long id, Kind kind, long inode, Striping striping, long sizeBytes) {
  /** The work on the objects of an inode. */
  public enum Kind { REMOVE, TRUNCATE }
}
