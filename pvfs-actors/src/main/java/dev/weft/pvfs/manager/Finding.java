package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;

/**
 * Something that is wrong in a store of metadata.
 *
 * @param text what and where, and what repair does about it
 */
public record Finding(Kind kind, String text, Fix fix) {
  /** What can be wrong; repaired in this order, since what stands behind may follow from what stands before. */
  public enum Kind {
    /** A record that cannot be read. */
    DAMAGED,
    /** There is no root directory. */
    NO_ROOT,
    /** The counters of the file system lag behind what is there. */
    COUNTER,
    /** A name of something that is not there. */
    DANGLING_ENTRY,
    /** What belongs to an inode that is not there. */
    LEFTOVER,
    /** A symbolic link that leads nowhere at all. */
    NO_TARGET,
    /** A directory that has several names. */
    SECOND_NAME,
    /** An entry whose type is not that of its inode. */
    WRONG_TYPE,
    /** The list of a directory and its names do not agree. */
    WRONG_LIST,
    /** Directories that contain each other. */
    LOOP,
    /** An inode without a name that nobody has open, or a directory that cannot be reached. */
    LOST,
    /** A directory that names another as the one above. */
    WRONG_PARENT,
    /** A number of links that is not the number of names. */
    WRONG_LINKS,
    /** A record of sessions that have something open that has a name, too. */
    NEEDLESS_ORPHAN,
    /** An effect on daemons that must not happen, or not any more. */
    NEEDLESS_INTENT,
    /** The counts of the file system. */
    WRONG_COUNTS
  }

  /** What repairs it. */
  interface Fix {
    void apply(Batch batch);
  }

  @Override
  public String toString() {
    return kind + ": " + text;
  }
}
