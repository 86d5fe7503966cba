package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;

/** Changes attributes: first checks everything, then changes everything. */
final class Attributes {
  private final Inodes inodes;

  Attributes(Inodes inodes) {
    this.inodes = inodes;
  }

  /** {@code isWriter}: whether the session has the file open for writing. */
  Inode set(Caller caller, Inode inode, AttributeChange change, boolean isWriter, long nowNs) {
    InodeDraft draft = changed(caller, inode, change, isWriter, nowNs);
    if (change.has(AttributeChange.SIZE)) {
      inodes.intend(Intent.Kind.TRUNCATE, inode, change.sizeBytes());
    }
    return inodes.put(draft);
  }

  /** Returns the changed inode as a draft. */
  static InodeDraft changed(Caller caller, Inode inode, AttributeChange change, boolean isWriter, long nowNs) {
    Refusal.unless((change.mask() & ~AttributeChange.ALL) == 0, Errno.EINVAL);
    checkOwner(caller, inode, change);
    checkSize(caller, inode, change, isWriter);
    checkTimes(caller, inode, change);
    InodeDraft draft = inode.draft().changed(nowNs);
    setOwner(draft, change);
    setSize(caller, draft, change, nowNs);
    setMode(caller, draft, change);
    setTimes(draft, change, nowNs);
    return draft;
  }

  private static void checkOwner(Caller caller, Inode inode, AttributeChange change) {
    if (change.has(AttributeChange.MODE)) {
      Refusal.unless(inode.type() != FileType.SYMLINK, Errno.ENOTSUP);
      Refusal.unless(Permissions.owns(caller, inode), Errno.EPERM);
    }
    if (change.has(AttributeChange.UID)) {
      Refusal.unless(change.uid() != -1, Errno.EINVAL);
      Refusal.unless(caller.can(Caller.CHOWN) || (Permissions.owns(caller, inode) && change.uid() == inode.uid()), Errno.EPERM);
    }
    if (change.has(AttributeChange.GID)) {
      Refusal.unless(change.gid() != -1, Errno.EINVAL);
      boolean isOwnGroup = change.gid() == inode.gid() || caller.mayBeIn(change.gid());
      Refusal.unless(caller.can(Caller.CHOWN) || (Permissions.owns(caller, inode) && isOwnGroup), Errno.EPERM);
    }
  }

  private static void checkSize(Caller caller, Inode inode, AttributeChange change, boolean isWriter) {
    if (!change.has(AttributeChange.SIZE)) {
      return;
    }
    Refusal.unless(!inode.isDirectory(), Errno.EISDIR);
    Refusal.unless(inode.isRegular() && change.sizeBytes() >= 0, Errno.EINVAL);
    Refusal.unless(change.sizeBytes() <= Striping.FILE_BYTES_MAX, Errno.EFBIG);
    if (change.has(AttributeChange.BY_HANDLE)) {
      Refusal.unless(isWriter, Errno.EBADF);
    } else {
      Permissions.check(caller, inode, Permissions.WRITE);
    }
  }

  private static void checkTimes(Caller caller, Inode inode, AttributeChange change) {
    boolean explicit = change.has(AttributeChange.ATIME) && !change.has(AttributeChange.ATIME_NOW)
        || change.has(AttributeChange.MTIME) && !change.has(AttributeChange.MTIME_NOW);
    if (explicit) {
      Refusal.unless(Permissions.owns(caller, inode), Errno.EPERM);
    } else if (change.has(AttributeChange.ATIME | AttributeChange.MTIME)) {
      Refusal.unless(Permissions.owns(caller, inode) || Permissions.has(caller, inode, Permissions.WRITE), Errno.EACCES);
    }
  }

  private static void setOwner(InodeDraft draft, AttributeChange change) {
    if (change.has(AttributeChange.UID)) {
      draft.uid = change.uid();
    }
    if (change.has(AttributeChange.GID)) {
      draft.gid = change.gid();
    }
    if (change.has(AttributeChange.UID | AttributeChange.GID) && draft.type != FileType.DIRECTORY) {
      draft.dropSetIds();
    }
  }

  private static void setSize(Caller caller, InodeDraft draft, AttributeChange change, long nowNs) {
    if (change.has(AttributeChange.SIZE)) {
      draft.modified(nowNs).sizeHint = change.sizeBytes();
      if (!caller.can(Caller.FSETID)) {
        draft.dropSetIds();
      }
    }
  }

  private static void setMode(Caller caller, InodeDraft draft, AttributeChange change) {
    if (change.has(AttributeChange.MODE)) {
      draft.mode = change.mode() & Inode.MODE_MASK;
      if (!caller.can(Caller.FSETID) && !caller.mayBeIn(draft.gid)) {
        draft.mode &= ~Inode.SETGID;
      }
    }
  }

  private static void setTimes(InodeDraft draft, AttributeChange change, long nowNs) {
    if (change.has(AttributeChange.ATIME)) {
      draft.atimeNs = change.has(AttributeChange.ATIME_NOW) ? nowNs : change.atimeNs();
    }
    if (change.has(AttributeChange.MTIME)) {
      draft.timed(change.has(AttributeChange.MTIME_NOW) ? nowNs : change.mtimeNs(), nowNs);
    }
  }
}
