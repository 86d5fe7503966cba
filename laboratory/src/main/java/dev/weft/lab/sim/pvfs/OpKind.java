package dev.weft.lab.sim.pvfs;

/** The operations of programs. */
enum OpKind {
  READ,
  WRITE,
  /** Two ranges at once. */
  READ_LIST,
  WRITE_LIST,
  /** Cuts or extends at the daemons. */
  TRUNCATE,
  /** Cuts or extends through the manager. */
  CUT,
  PUNCH,
  /** The length, from the daemons. */
  SIZE,
  /** The length, if the manager knows it. */
  ATTRIBUTES,
  SYNC,
  /** Closes a shared file, and opens it again. */
  REOPEN,
  /** Creates a file of the program's own, which stays open. */
  CREATE,
  CLOSE,
  MKDIR,
  LINK,
  UNLINK,
  RMDIR,
  RENAME,
  LOOKUP,
  LIST,
  /** Locks a file, or pieces of it, without waiting. */
  LOCK,
  LOCK_WAIT,
  UNLOCK;

  boolean isLock() {
    return ordinal() >= LOCK.ordinal();
  }

  /** Whether it concerns bytes of a file. */
  boolean isData() {
    return ordinal() <= REOPEN.ordinal();
  }
}
