package dev.weft.pvfs.wire;

/** Operations of the manager. The order is that of the wire; {@link MetaRequest} lists their arguments. */
public enum MetaOp {
  /** Asks for the identity of the file system. */
  HELLO,
  LOOKUP,
  /** Looks up a whole path, from the root. */
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
  /** Reports a file as open; its data stays while it is open. */
  OPEN,
  CLOSE,
  STATFS,
  /** Sets the striping of new files in a directory. */
  SETSTRIPE,
  /** The client leaves for good: its open files are closed. */
  BYE,
  /** Reports what a client had open, to a manager that has restarted or has ended the session. */
  RECLAIM,
  /** Asks for events; the answer comes when there is one, or after a while. It also shows that the client is alive. */
  EVENTS,
  /** Locks or unlocks a range of a file; with a ticket, waits for the lock. */
  LOCK,
  /** Asks which lock conflicts with one. */
  LOCK_TEST,
  /** Cancels a waiting lock. */
  LOCK_CANCEL,
  /** Asks for a capability of a file that is open, valid for longer. */
  RENEW,
  /** The client has claimed all that it held at the previous manager; its waiting locks follow. */
  CLAIMED,
  /** Sends a part of a value that is too long for one message; the SETXATTR that follows uses the whole. */
  STAGE;

  private static final MetaOp[] ALL = values();

  /** Whether it changes names or attributes, so doing it twice differs from doing it once. Opening, closing and locking do not count. */
  public boolean isChange() {
    return switch (this) {
      case SETATTR, CREATE, MKDIR, MKNOD, SYMLINK, LINK, UNLINK, RMDIR, RENAME, SETXATTR, REMOVEXATTR, SETSTRIPE -> true;
      case HELLO, LOOKUP, WALK, GETATTR, READLINK, READDIR, GETXATTR, LISTXATTR, OPEN, CLOSE, STATFS, BYE, RECLAIM, EVENTS, LOCK, LOCK_TEST, LOCK_CANCEL,
          RENEW, CLAIMED, STAGE -> false;
    };
  }

  /** Returns null for an unknown code. */
  public static MetaOp of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
