package dev.weft.pvfs.nio;

import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** Permissions as bits of {@code stat(2)}. */
final class Modes {
  private static final PosixFilePermission[] ALL = PosixFilePermission.values();

  private Modes() {}

  /** The enum's order is that of the bits, the owner's read first. */
  static int bits(Set<PosixFilePermission> permissions) {
    int bits = 0;
    for (PosixFilePermission each : permissions) {
      bits |= 0400 >>> each.ordinal();
    }
    return bits;
  }

  static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission each : ALL) {
      if ((mode & 0400 >>> each.ordinal()) != 0) {
        set.add(each);
      }
    }
    return set;
  }
}
