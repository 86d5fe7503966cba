package dev.weft.pvfs.service;

import dev.weft.pvfs.wire.FileAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What tells whether a file of this host is one of the file system, seen through a mount: a mount shows the file's own number, and the time of its last change,
 * which no two files with one number share to the nanosecond.
 *
 * @param inode 0 where there is no file
 */
record LocalIdentity(long inode, long changedNs) {
  static final LocalIdentity NONE = new LocalIdentity(0, 0);

  /** Of the file that a path leads to; {@link #NONE} if none can be asked for. */
  static LocalIdentity of(Path path) {
    try {
      Map<String, Object> known = Files.readAttributes(path, "unix:ino,ctime");
      return new LocalIdentity((Long) known.get("ino"), ((FileTime) known.get("ctime")).to(TimeUnit.NANOSECONDS));
    } catch (IOException | UnsupportedOperationException unknown) {
      return NONE; // Whoever opens it says why.
    }
  }

  /** As {@link #toString} says it. */
  static LocalIdentity parse(String text) {
    int colon = text.indexOf(':');
    return new LocalIdentity(Long.parseUnsignedLong(text.substring(0, Math.max(colon, 0))), Long.parseLong(text.substring(colon + 1)));
  }

  boolean isKnown() {
    return inode != 0;
  }

  boolean isOf(FileAttributes file) {
    return isKnown() && inode == file.inode() && changedNs == file.ctimeNs();
  }

  @Override
  public String toString() {
    return Long.toUnsignedString(inode) + ":" + changedNs;
  }
}
