package dev.weft.pvfs.wire;

/** What a client may ask of the manager. The order is that of the wire; {@link MetaRequest} says what each takes. */
public enum MetaOp {
  /** Which file system this is. */
  HELLO,
  LOOKUP,
  /** A whole path, from the root. */
  WALK,
  GETATTR,
  SETATTR,
  CREATE,
  MKDIR,
  MKNOD,
  SYMLINK,
  READLINK,
  LINK,
  UNLINK,
  RMDIR,
  RENAME,
  READDIR,
  GETXATTR,
  SETXATTR,
  LISTXATTR,
  REMOVEXATTR,
  /** Says that a file is open; its data stays while it is. */
  OPEN,
  CLOSE,
  STATFS,
  /** What a directory gives to files that are made in it. */
  SETSTRIPE,
  /** The client does not come back: what it has open is closed. */
  BYE,
  /** What a client had open at a manager that has started again, or has ended the session. */
  RECLAIM,
  /** What has happened; answered when something has, or after a while. The client shows with it that it is there. */
  EVENTS,
  /** Locks a range of a file, or unlocks it; with a ticket, waits for it. */
  LOCK,
  /** Which lock is in the way of one. */
  LOCK_TEST,
  /** Waits no more. */
  LOCK_CANCEL,
  /** A capability that is valid for longer, for what the client has open. */
  RENEW,
  /** The client has claimed all that it had at the manager before; its own waiting locks come behind. */
  CLAIMED,
  /** A part of a value that is too long for one message; the SETXATTR that follows takes the whole. */
  STAGE;

  private static final MetaOp[] ALL = values();

  /** Whether it changes names or attributes, so that it is not the same when it is done twice; what opens, closes and locks is not meant. */
  public boolean isChange() {
    return switch (this) {
      case SETATTR, CREATE, MKDIR, MKNOD, SYMLINK, LINK, UNLINK, RMDIR, RENAME, SETXATTR, REMOVEXATTR, SETSTRIPE -> true;
      case HELLO, LOOKUP, WALK, GETATTR, READLINK, READDIR, GETXATTR, LISTXATTR, OPEN, CLOSE, STATFS, BYE, RECLAIM, EVENTS, LOCK, LOCK_TEST, LOCK_CANCEL,
          RENEW, CLAIMED, STAGE -> false;
    };
  }

  /** Null for a code that is none. */
  public static MetaOp of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
