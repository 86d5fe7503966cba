package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;

/** Adds names to inodes and removes them. */
final class Links {
  private final Inodes inodes;
  private final Entries entries;
  private final Opens opens;
  private final int max;

  Links(Inodes inodes, Entries entries, Opens opens, int max) {
    this.inodes = inodes;
    this.entries = entries;
    this.opens = opens;
    this.max = max;
  }

  void checkRoom(Inode inode) {
    Refusal.unless(inode.links() < max, Errno.EMLINK);
  }

  /** Checks that {@code name} can be given to a new inode in {@code parent}; returns the parent. */
  Inode checkNew(Caller caller, long parent, byte[] name) {
    Inode directory = inodes.directory(parent);
    Permissions.check(caller, directory, Permissions.EXECUTE);
    Refusal.unless(!Entries.isDots(name), Errno.EEXIST);
    Entries.checkName(name);
    Refusal.unless(entries.find(parent, name) == null, Errno.EEXIST);
    Permissions.checkAdd(caller, directory);
    return directory;
  }

  Inode link(Caller caller, long number, long parent, byte[] name, long nowNs) {
    Inode inode = inodes.get(number);
    checkNew(caller, parent, name);
    Refusal.unless(!inode.isDirectory(), Errno.EPERM);
    Refusal.unless(inode.links() > 0, Errno.ENOENT);
    checkRoom(inode);
    entries.add(parent, name, inode, 0, nowNs);
    return inodes.put(inode.draft().links(1).changed(nowNs));
  }

  void unlink(Caller caller, long parent, byte[] name, long nowNs) {
    Refusal.unless(!Entries.isDots(name), Errno.EISDIR);
    Inode directory = inodes.directory(parent);
    Entries.Entry entry = entry(caller, directory, name);
    Inode inode = inodes.get(entry.inode());
    Permissions.checkRemove(caller, directory, inode);
    Refusal.unless(!inode.isDirectory(), Errno.EISDIR);
    entries.remove(parent, name, entry, 0, nowNs);
    drop(inode, nowNs);
  }

  void rmdir(Caller caller, long parent, byte[] name, long nowNs) {
    Refusal.unless(!Entries.isDots(name), Entries.isParent(name) ? Errno.ENOTEMPTY : Errno.EINVAL);
    Inode directory = inodes.directory(parent);
    Entries.Entry entry = entry(caller, directory, name);
    Inode inode = inodes.get(entry.inode());
    Permissions.checkRemove(caller, directory, inode);
    Refusal.unless(inode.isDirectory(), Errno.ENOTDIR);
    Refusal.unless(entries.isEmpty(inode.number()), Errno.ENOTEMPTY);
    entries.remove(parent, name, entry, -1, nowNs);
    drop(inode, nowNs);
  }

  private Entries.Entry entry(Caller caller, Inode directory, byte[] name) {
    Permissions.check(caller, directory, Permissions.EXECUTE);
    Entries.checkName(name);
    Entries.Entry entry = entries.find(directory.number(), name);
    Refusal.unless(entry != null, Errno.ENOENT);
    return entry;
  }

  /** Records that an inode has lost a name; a directory has only one. */
  void drop(Inode inode, long nowNs) {
    Inode left = inodes.put(inode.draft().links(inode.isDirectory() ? -inode.links() : -1).changed(nowNs));
    if (left.links() == 0) {
      opens.unnamed(left);
    }
  }
}
