package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/** Follows the names of a path from a directory on. */
final class Walk {
  static final int SYMLINKS_MAX = 40;

  private final Transaction transaction;
  private final Inodes inodes;
  private final Entries entries;

  Walk(Transaction transaction, Inodes inodes, Entries entries) {
    this.transaction = transaction;
    this.inodes = inodes;
    this.entries = entries;
  }

  /** Takes one step. "." and ".." work although they are not stored. */
  Inode step(Caller caller, Inode directory, byte[] name) {
    Refusal.unless(directory.isDirectory(), Errno.ENOTDIR);
    Permissions.check(caller, directory, Permissions.EXECUTE);
    if (Entries.isDots(name)) {
      return Entries.isParent(name) ? inodes.get(directory.parent()) : directory;
    }
    Entries.checkName(name);
    Entries.Entry entry = entries.find(directory.number(), name);
    Refusal.unless(entry != null, Errno.ENOENT);
    return inodes.get(entry.inode());
  }

  Inode walk(Caller caller, long start, byte[] path, boolean followLast) {
    Refusal.unless(path.length > 0, Errno.ENOENT);
    Refusal.unless(path.length <= MetaRequest.PATH_BYTES_MAX, Errno.ENAMETOOLONG);
    Deque<byte[]> left = new ArrayDeque<>();
    prepend(left, path);
    Inode at = inodes.get(path[0] == '/' ? Inode.ROOT : start);
    int symlinks = 0;
    while (!left.isEmpty()) {
      byte[] name = left.pop();
      if (name.length == 0) {
        Refusal.unless(at.isDirectory(), Errno.ENOTDIR);
        continue;
      }
      Inode next = step(caller, at, name);
      if (next.type() == FileType.SYMLINK && (followLast || !left.isEmpty())) {
        Refusal.unless(++symlinks <= SYMLINKS_MAX, Errno.ELOOP);
        byte[] target = target(next.number());
        prepend(left, target);
        next = target[0] == '/' ? inodes.get(Inode.ROOT) : at;
      }
      at = next;
    }
    return at;
  }

  byte[] target(long symlink) {
    byte[] value = transaction.get(Keys.target(symlink));
    Refusal.unless(value != null, Errno.EIO);
    return Values.bytes("the target of symbolic link " + symlink, value);
  }

  /** Puts the names of a path in front. An empty name, from a slash at the end, requires a directory. */
  private static void prepend(Deque<byte[]> left, byte[] path) {
    List<byte[]> names = new ArrayList<>();
    int start = path[0] == '/' ? 1 : 0;
    for (int at = start; at <= path.length; at++) {
      if (at == path.length || path[at] == '/') {
        names.add(Arrays.copyOfRange(path, start, at));
        start = at + 1;
      }
    }
    names.reversed().forEach(left::push);
  }
}
