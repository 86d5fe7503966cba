package dev.weft.pvfs.nio;

import dev.weft.pvfs.layout.StripingWish;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.util.HashSet;
import java.util.Set;

/**
 * The attributes of a file that is to be made.
 *
 * @param mode permissions, exactly as requested: there is no umask
 */
record NewFile(int mode, StripingWish wish) {
  /** @throws UnsupportedOperationException for attributes that cannot be set while the file is made */
  static NewFile of(int defaultMode, FileAttribute<?>... attributes) {
    int mode = defaultMode;
    StripingWish wish = StripingWish.NONE;
    for (FileAttribute<?> each : attributes) {
      switch (each.name()) {
        case "posix:permissions" -> mode = Modes.bits(permissions(each.value()));
        case "pvfs:base" -> wish = new StripingWish(number(each), wish.count(), wish.stripeBytes());
        case "pvfs:count" -> wish = new StripingWish(wish.base(), number(each), wish.stripeBytes());
        case "pvfs:stripeSize" -> wish = new StripingWish(wish.base(), wish.count(), number(each));
        default -> throw new UnsupportedOperationException("'" + each.name()
            + "' of a file that is made; there are posix:permissions, pvfs:base, pvfs:count and pvfs:stripeSize");
      }
    }
    return new NewFile(mode, wish);
  }

  private static int number(FileAttribute<?> attribute) {
    if (attribute.value() instanceof Integer number) {
      return number;
    }
    throw new IllegalArgumentException(attribute.name() + " is " + attribute.value() + ", must be an Integer");
  }

  static Set<PosixFilePermission> permissions(Object value) {
    if (!(value instanceof Set<?> set)) {
      throw new ClassCastException("permissions that are " + value + ", must be a set of PosixFilePermission");
    }
    Set<PosixFilePermission> all = new HashSet<>();
    set.forEach(one -> all.add(PosixFilePermission.class.cast(java.util.Objects.requireNonNull(one))));
    return all;
  }
}
