package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.Batch;

/**
 * An error in a store of metadata.
 *
 * @param text what is wrong and where, and how repair fixes it
 */
public record Finding(Kind kind, String text, Fix fix) {
  /** Kinds of errors, in the order of repair: later ones may be consequences of earlier ones. */
  public enum Kind {
    /** A record cannot be read. */
    DAMAGED,
    /** There is no root directory. */
    NO_ROOT,
    /** The counters of the file system are lower than numbers in use. */
    COUNTER,
    /** A name leads to a missing inode. */
    DANGLING_ENTRY,
    /** A record belongs to a missing inode. */
    LEFTOVER,
    /** A symbolic link has no target. */
    NO_TARGET,
    /** A directory has several names. */
    SECOND_NAME,
    /** The type in an entry differs from that of its inode. */
    WRONG_TYPE,
    /** The list of a directory and its names disagree. */
    WRONG_LIST,
    /** Directories contain each other. */
    LOOP,
    /** An inode has no name and is not open, or a directory cannot be reached. */
    LOST,
    /** A directory records a wrong parent. */
    WRONG_PARENT,
    /** The number of links differs from the number of names. */
    WRONG_LINKS,
    /** A record of open sessions exists for an inode that has a name. */
    NEEDLESS_ORPHAN,
    /** An effect on daemons must not happen, or no longer. */
    NEEDLESS_INTENT,
    /** The counts of the file system are wrong. */
    WRONG_COUNTS
  }

  /** The change that repairs an error. */
  interface Fix {
    void apply(Batch batch);
  }

  @Override
  public String toString() {
    return kind + ": " + text;
  }
}
