package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.Capability;

/** Opens inodes for sessions, and takes what these have written. */
final class Opening {
  private static final int WRITES = Capability.WRITE | Capability.APPEND;

  private final Inodes inodes;
  private final Entries entries;
  private final Opens opens;
  private final Creation creation;
  private final Attributes attributes;

  Opening(Inodes inodes, Entries entries, Opens opens, Creation creation, Attributes attributes) {
    this.inodes = inodes;
    this.entries = entries;
    this.opens = opens;
    this.creation = creation;
    this.attributes = attributes;
  }

  /** As {@link NameSpace#create}; {@code isFull}: whether the store has no space for a new file. */
  Inode create(Caller caller, long parent, byte[] name, int mode, boolean exclusive, StripingWish wish, long session, int access, boolean isFull,
      long nowNs) {
    Inode directory = inodes.directory(parent);
    Entries.Entry there = exclusive || Entries.isDots(name) ? null : entries.find(parent, name);
    if (there != null) {
      Permissions.check(caller, directory, Permissions.EXECUTE);
      return access == 0 ? inodes.get(there.inode()) : open(caller, session, inodes.get(there.inode()), access, nowNs);
    }
    Inode made = creation.regular(caller, parent, name, mode, wish, nowNs);
    Refusal.unless(!isFull, Errno.ENOSPC);
    if (access != 0) {
      checkSession(session, access);
      hold(session, made, access);
    }
    return made;
  }

  /** Opens an inode, as {@link NameSpace#open}. */
  Inode open(Caller caller, long session, Inode inode, int access, long nowNs) {
    checkSession(session, access);
    int writes = WRITES | Capability.TRUNCATE;
    Refusal.unless(inode.type() != FileType.SYMLINK, Errno.ELOOP);
    Refusal.unless(!inode.isDirectory() || (access & writes) == 0, Errno.EISDIR);
    Permissions.check(caller, inode, ((access & Capability.READ) != 0 ? Permissions.READ : 0) | ((access & writes) != 0 ? Permissions.WRITE : 0));
    hold(session, inode, access);
    if ((access & Capability.TRUNCATE) == 0 || !inode.isRegular()) {
      return inode;
    }
    return attributes.set(caller, inode, new AttributeChange(AttributeChange.SIZE, 0, 0, 0, 0, 0, 0), true, nowNs);
  }

  private void hold(long session, Inode inode, int access) {
    opens.open(session, inode, access);
    if (inode.isRegular() && (access & WRITES) != 0) {
      inodes.lengthOpen(inode.number());
    }
  }

  private static void checkSession(long session, int access) {
    Refusal.unless(session > Opens.RECOVERY && (access & ~(Capability.ACCESS_MASK | Capability.MAPPED)) == 0, Errno.EINVAL);
  }

  /** Opens an inode once more, whatever its mode. */
  Inode again(long session, long inode, int access) {
    checkSession(session, access);
    Inode found = inodes.get(inode);
    hold(session, found, access);
    return found;
  }

  /** As {@link NameSpace#reclaim(long, long, int, int)}. */
  Inode reclaim(long session, long inode, Opens.Held held) {
    checkSession(session, held.access());
    Refusal.unless(held.count() > 0, Errno.EINVAL);
    Inode found = inodes.get(inode);
    opens.reclaim(session, found, held);
    if (found.isRegular() && (held.access() & WRITES) != 0) {
      inodes.lengthOpen(inode);
    }
    return found;
  }

  /** As {@link NameSpace#wrote}. */
  Inode wrote(Caller caller, long session, Inode found, long sizeBytes, boolean keepsTimes, long wroteNs, long nowNs) {
    Refusal.unless(opens.isOpenFor(found.number(), session, WRITES), Errno.EBADF);
    InodeDraft draft = keepsTimes ? found.draft() : found.draft().written(wroteNs, nowNs);
    draft.sizeHint = sizeBytes < 0 ? found.sizeHint() : sizeBytes;
    if (!caller.can(Caller.FSETID)) {
      draft.dropSetIds();
    }
    return inodes.put(draft);
  }
}
