package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;

/** Rename according to POSIX and Linux. */
final class Renames {
  static final int NOREPLACE = 1;
  static final int EXCHANGE = 2;
  static final int WHITEOUT = 4;

  /** Deeper than any path; a longer way up is a loop. */
  private static final int DEPTH_MAX = 1 << 20;

  private final Inodes inodes;
  private final Entries entries;
  private final Links links;
  private final Creation creation;

  Renames(Inodes inodes, Entries entries, Links links, Creation creation) {
    this.inodes = inodes;
    this.entries = entries;
    this.links = links;
    this.creation = creation;
  }

  /** A name in a directory, and its target; the last two fields are null if there is none. */
  private record Place(Inode directory, byte[] name, Entries.Entry entry, Inode inode) {
    boolean isDirectory() {
      return inode != null && inode.isDirectory();
    }

    int directories() {
      return isDirectory() ? 1 : 0;
    }
  }

  void rename(Caller caller, long from, byte[] name, long to, byte[] newName, int flags, long nowNs) {
    boolean exchanges = (flags & EXCHANGE) != 0;
    boolean replaces = (flags & NOREPLACE) == 0;
    Refusal.unless((flags & ~(NOREPLACE | EXCHANGE | WHITEOUT)) == 0 && (!exchanges || flags == EXCHANGE), Errno.EINVAL);
    Refusal.unless(!Entries.isDots(name) && !Entries.isDots(newName), Errno.EBUSY);
    Place source = place(caller, from, name);
    Place target = place(caller, to, newName);
    Refusal.unless(source.inode != null, Errno.ENOENT);
    Refusal.unless(target.inode == null || replaces, Errno.EEXIST);
    Refusal.unless(target.inode != null || !exchanges, Errno.ENOENT);
    checkLoops(source, target, exchanges);
    if (target.inode != null && target.inode.number() == source.inode.number()) {
      return;
    }
    checkPermissions(caller, source, target, exchanges);
    if (exchanges) {
      exchange(source, target, nowNs);
      return;
    }
    move(source, target, nowNs);
    if ((flags & WHITEOUT) != 0) {
      creation.whiteout(caller, source.directory, source.name, nowNs);
    }
  }

  private Place place(Caller caller, long directory, byte[] name) {
    Inode inode = inodes.directory(directory);
    Permissions.check(caller, inode, Permissions.EXECUTE);
    Entries.checkName(name);
    Entries.Entry entry = entries.find(directory, name);
    return new Place(inode, name, entry, entry == null ? null : inodes.get(entry.inode()));
  }

  private void checkLoops(Place source, Place target, boolean exchange) {
    Refusal.unless(!source.isDirectory() || !isWithin(target.directory, source.inode), Errno.EINVAL);
    Refusal.unless(!target.isDirectory() || !isWithin(source.directory, target.inode), exchange ? Errno.EINVAL : Errno.ENOTEMPTY);
  }

  private boolean isWithin(Inode directory, Inode top) {
    Inode at = directory;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
      if (at.number() == top.number()) {
        return true;
      }
      if (at.number() == Inode.ROOT) {
        return false;
      }
      at = inodes.get(at.parent());
    }
    throw new Refusal(Errno.EIO);
  }

  private void checkPermissions(Caller caller, Place source, Place target, boolean exchange) {
    Permissions.checkRemove(caller, source.directory, source.inode);
    if (target.inode == null) {
      Permissions.checkAdd(caller, target.directory);
    } else {
      Permissions.checkRemove(caller, target.directory, target.inode);
    }
    boolean sameDirectory = source.directory.number() == target.directory.number();
    if (!exchange && target.inode != null) {
      Refusal.unless(!source.isDirectory() || target.isDirectory(), Errno.ENOTDIR);
      Refusal.unless(source.isDirectory() || !target.isDirectory(), Errno.EISDIR);
    }
    if (!sameDirectory && source.isDirectory()) {
      Permissions.check(caller, source.inode, Permissions.WRITE); // The directory's ".." changes.
    }
    if (!sameDirectory && exchange && target.isDirectory()) {
      Permissions.check(caller, target.inode, Permissions.WRITE);
    }
    if (!sameDirectory && source.directories() > target.directories()) {
      links.checkRoom(target.directory);
    }
    if (!sameDirectory && exchange && target.directories() > source.directories()) {
      links.checkRoom(source.directory);
    }
  }

  private void move(Place source, Place target, long nowNs) {
    Refusal.unless(!target.isDirectory() || entries.isEmpty(target.inode.number()), Errno.ENOTEMPTY);
    entries.remove(source.directory.number(), source.name, source.entry, -source.directories(), nowNs);
    if (target.inode == null) {
      entries.add(target.directory.number(), target.name, source.inode, source.directories(), nowNs);
    } else {
      entries.replace(target.directory.number(), target.name, target.entry, source.inode, source.directories() - target.directories(), nowNs);
      links.drop(target.inode, nowNs);
    }
    arrived(source.inode, target.directory, nowNs);
  }

  private void exchange(Place source, Place target, long nowNs) {
    int delta = target.directories() - source.directories();
    entries.replace(source.directory.number(), source.name, source.entry, target.inode, delta, nowNs);
    entries.replace(target.directory.number(), target.name, target.entry, source.inode, -delta, nowNs);
    arrived(source.inode, target.directory, nowNs);
    arrived(target.inode, source.directory, nowNs);
  }

  private void arrived(Inode inode, Inode directory, long nowNs) {
    InodeDraft draft = inode.draft().changed(nowNs);
    if (inode.isDirectory()) {
      draft.parent = directory.number();
    }
    inodes.put(draft);
  }
}
