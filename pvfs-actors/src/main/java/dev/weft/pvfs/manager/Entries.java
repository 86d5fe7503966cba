package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MetadataStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Entries of directories. An entry keeps its cookie for life. The cookie is greater than those of all earlier entries of its directory, so readdir
 * finds each entry once.
 */
final class Entries {
  /** Cookies of "." and "..", which are not stored. */
  static final long DOT_COOKIE = 1;
  static final long DOT_DOT_COOKIE = 2;
  static final long FIRST_COOKIE = 3;

  static final int NAME_MAX = 255;

  private static final byte[] DOT = {'.'};
  private static final byte[] DOT_DOT = {'.', '.'};
  private static final int PAGE = 64;
  /** Bytes that Linux adds to a name in a page of a directory, the attributes of readdirplus, and the unit of rounding. */
  private static final int HEAD_BYTES = 24;
  private static final int ATTRIBUTES_BYTES = 128;
  private static final int UNIT = 8;

  /** The target of a name. */
  record Entry(long inode, FileType type, long cookie) {}

  private final Transaction transaction;
  private final Inodes inodes;

  Entries(Transaction transaction, Inodes inodes) {
    this.transaction = transaction;
    this.inodes = inodes;
  }

  /** Whether a name is "." or "..". */
  static boolean isDots(byte[] name) {
    return Arrays.equals(name, DOT) || isParent(name);
  }

  static boolean isParent(byte[] name) {
    return Arrays.equals(name, DOT_DOT);
  }

  static void checkName(byte[] name) {
    Refusal.unless(name.length > 0, Errno.ENOENT);
    Refusal.unless(name.length <= NAME_MAX, Errno.ENAMETOOLONG);
    for (byte one : name) {
      Refusal.unless(one != 0 && one != '/', Errno.EINVAL);
    }
  }

  /** Returns the entry, or null. */
  Entry find(long directory, byte[] name) {
    byte[] value = transaction.get(Keys.name(directory, name));
    return value == null ? null : Values.entry(value);
  }

  /** Adds an entry that does not exist. {@code links} is the change of the directory's number of links. */
  void add(long directory, byte[] name, Inode inode, int links, long nowNs) {
    InodeDraft parent = inodes.get(directory).draft().modified(nowNs).links(links);
    put(directory, name, new Entry(inode.number(), inode.type(), parent.nextCookie++));
    inodes.put(parent);
  }

  /** Lets a name lead to another inode; the entry keeps its place. */
  void replace(long directory, byte[] name, Entry old, Inode inode, int links, long nowNs) {
    put(directory, name, new Entry(inode.number(), inode.type(), old.cookie()));
    touch(directory, links, nowNs);
  }

  private void put(long directory, byte[] name, Entry entry) {
    transaction.put(Keys.name(directory, name), Values.entry(entry));
    transaction.put(Keys.cookie(directory, entry.cookie()), Values.cookie(entry, name));
  }

  void remove(long directory, byte[] name, Entry entry, int links, long nowNs) {
    transaction.delete(Keys.name(directory, name));
    transaction.delete(Keys.cookie(directory, entry.cookie()));
    touch(directory, links, nowNs);
  }

  private void touch(long directory, int links, long nowNs) {
    inodes.put(inodes.get(directory).draft().modified(nowNs).links(links));
  }

  boolean isEmpty(long directory) {
    byte[] prefix = Keys.cookies(directory);
    return transaction.scan(prefix, prefix, 1).isEmpty();
  }

  /** Returns entries behind {@code cookie} that fit into a page; EINVAL if the first one does not fit. */
  List<DirEntry> page(Inode directory, long cookie, int maxBytes, boolean attributes) {
    List<DirEntry> page = new ArrayList<>();
    int left = maxBytes;
    long last = cookie;
    while (true) {
      List<DirEntry> more = next(directory, last);
      for (DirEntry entry : more) {
        left -= bytes(entry, attributes);
        if (left < 0) {
          Refusal.unless(!page.isEmpty(), Errno.EINVAL);
          return page;
        }
        page.add(attributes ? withAttributes(entry) : entry);
        last = entry.cookie();
      }
      if (more.isEmpty()) {
        return page;
      }
    }
  }

  private static int bytes(DirEntry entry, boolean attributes) {
    return (HEAD_BYTES + entry.name().length + UNIT - 1) / UNIT * UNIT + (attributes ? ATTRIBUTES_BYTES : 0);
  }

  private DirEntry withAttributes(DirEntry entry) {
    return new DirEntry(entry.name(), entry.inode(), entry.type(), entry.cookie(), inodes.get(entry.inode()));
  }

  private List<DirEntry> next(Inode directory, long cookie) {
    if (cookie < DOT_COOKIE) {
      return List.of(new DirEntry(DOT, directory.number(), FileType.DIRECTORY, DOT_COOKIE, null));
    }
    if (cookie < DOT_DOT_COOKIE) {
      return List.of(new DirEntry(DOT_DOT, directory.parent(), FileType.DIRECTORY, DOT_DOT_COOKIE, null));
    }
    List<DirEntry> found = new ArrayList<>();
    if (cookie < Long.MAX_VALUE) {
      for (MetadataStore.Entry entry : transaction.scan(Keys.cookies(directory.number()), Keys.cookie(directory.number(), cookie + 1), PAGE)) {
        found.add(Values.dirEntry(Keys.cookie(entry.key()), entry.value()));
      }
    }
    return found;
  }
}
