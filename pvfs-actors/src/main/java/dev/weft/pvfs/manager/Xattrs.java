package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.LongValue;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Extended attributes: of users, of security modules, and trusted ones, which only root sees. There are no POSIX ACLs. */
final class Xattrs {
  static final int CREATE = 1;
  static final int REPLACE = 2;
  static final int NAME_MAX = 255;
  static final int VALUE_MAX = LongValue.BYTES_MAX;
  /** Bytes of all names of one inode, each with a zero byte: Linux's limit for a list. */
  static final int LIST_MAX = LongValue.BYTES_MAX;

  private static final int PAGE = 64;

  /** The name spaces of attributes, by prefix. */
  private enum Space {
    USER("user."), SECURITY("security."), TRUSTED("trusted.");

    private final byte[] prefix;

    Space(String prefix) {
      this.prefix = prefix.getBytes(StandardCharsets.US_ASCII);
    }

    static Space of(byte[] name) {
      for (Space space : values()) {
        if (MetadataStore.hasPrefix(name, space.prefix)) {
          Refusal.unless(name.length > space.prefix.length, Errno.EINVAL);
          return space;
        }
      }
      throw new Refusal(Errno.ENOTSUP);
    }
  }

  private final Transaction transaction;
  private final Inodes inodes;

  Xattrs(Transaction transaction, Inodes inodes) {
    this.transaction = transaction;
    this.inodes = inodes;
  }

  private static Space space(byte[] name) {
    Refusal.unless(name.length > 0 && name.length <= NAME_MAX, Errno.ERANGE);
    for (byte one : name) {
      Refusal.unless(one != 0, Errno.EINVAL);
    }
    return Space.of(name);
  }

  byte[] get(Caller caller, long number, byte[] name) {
    Inode inode = inodes.get(number);
    switch (space(name)) {
      case USER -> {
        Refusal.unless(hasUserAttributes(inode), Errno.ENODATA);
        Permissions.check(caller, inode, Permissions.READ);
      }
      case TRUSTED -> Refusal.unless(caller.can(Caller.SYS_ADMIN), Errno.ENODATA);
      case SECURITY -> {
        // Everyone may read these.
      }
    }
    byte[] value = transaction.get(Keys.xattr(number, name));
    Refusal.unless(value != null, Errno.ENODATA);
    return Values.bytes("an attribute of inode " + number, value);
  }

  private static boolean hasUserAttributes(Inode inode) {
    return inode.isRegular() || inode.isDirectory();
  }

  private Inode checkWrite(Caller caller, long number, byte[] name) {
    Inode inode = inodes.get(number);
    checkWrite(caller, inode, name);
    return inode;
  }

  static void checkWrite(Caller caller, Inode inode, byte[] name) {
    if (space(name) != Space.USER) {
      Refusal.unless(caller.can(Caller.SYS_ADMIN | (space(name) == Space.SECURITY ? Caller.SETFCAP : 0)), Errno.EPERM);
      return;
    }
    Refusal.unless(hasUserAttributes(inode), Errno.EPERM);
    Refusal.unless(!inode.isDirectory() || (inode.mode() & Inode.STICKY) == 0 || Permissions.owns(caller, inode), Errno.EPERM);
    Permissions.check(caller, inode, Permissions.WRITE);
  }

  void set(Caller caller, long number, byte[] name, byte[] value, int flags, long nowNs) {
    Refusal.unless(flags >= 0 && flags < (CREATE | REPLACE), Errno.EINVAL);
    Inode inode = checkWrite(caller, number, name);
    Refusal.unless(value.length <= VALUE_MAX, Errno.E2BIG);
    boolean isThere = transaction.get(Keys.xattr(number, name)) != null;
    Refusal.unless(!isThere || flags != CREATE, Errno.EEXIST);
    Refusal.unless(isThere || flags != REPLACE, Errno.ENODATA);
    Refusal.unless(isThere || bytes(names(number)) + name.length + 1 <= LIST_MAX, Errno.ENOSPC);
    transaction.put(Keys.xattr(number, name), Values.bytes(value));
    inodes.put(inode.draft().changed(nowNs));
  }

  private static int bytes(List<byte[]> names) {
    return names.stream().mapToInt(name -> name.length + 1).sum();
  }

  void remove(Caller caller, long number, byte[] name, long nowNs) {
    Inode inode = checkWrite(caller, number, name);
    Refusal.unless(transaction.get(Keys.xattr(number, name)) != null, Errno.ENODATA);
    transaction.delete(Keys.xattr(number, name));
    inodes.put(inode.draft().changed(nowNs));
  }

  /** Returns the names in byte order. */
  List<byte[]> list(Caller caller, long number) {
    inodes.get(number);
    List<byte[]> names = names(number);
    names.removeIf(name -> !caller.can(Caller.SYS_ADMIN) && Space.of(name) == Space.TRUSTED);
    return names;
  }

  private List<byte[]> names(long number) {
    List<byte[]> names = new ArrayList<>();
    byte[] from = Keys.xattrs(number);
    List<MetadataStore.Entry> page;
    do {
      page = transaction.scan(Keys.xattrs(number), from, PAGE);
      for (MetadataStore.Entry entry : page) {
        names.add(Keys.rest(entry.key()));
        from = Keys.after(entry.key());
      }
    } while (page.size() == PAGE);
    return names;
  }
}
