package dev.weft.pvfs.service;

import dev.weft.pvfs.wire.FileAttributes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether a file of this host is one of the file system, seen through a mount. A mount shows the file's own number and the time of its last
 * change; no two files with one number share that time to the nanosecond.
 *
 * @param inode 0 if there is no file
 */
record LocalIdentity(long inode, long changedNs) {
  static final LocalIdentity NONE = new LocalIdentity(0, 0);

  /** Returns the identity of the file at a path; {@link #NONE} if it cannot be determined. */
  static LocalIdentity of(Path path) {
    try {
      Map<String, Object> known = Files.readAttributes(path, "unix:ino,ctime");
      return new LocalIdentity((Long) known.get("ino"), ((FileTime) known.get("ctime")).to(TimeUnit.NANOSECONDS));
    } catch (IOException | UnsupportedOperationException unknown) {
      return NONE; // The open reports the reason.
    }
  }

  /** Parses the text of {@link #toString}. */
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
