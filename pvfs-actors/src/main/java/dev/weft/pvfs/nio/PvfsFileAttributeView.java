package dev.weft.pvfs.nio;

import dev.weft.pvfs.layout.StripingWish;
import java.io.IOException;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;

/**
 * The view {@code pvfs}: that of POSIX and {@code base}, {@code count}, {@code stripeSize}, {@code daemons}. A file gets its striping when it is made, by the
 * attributes that this gives or from its directory.
 */
public interface PvfsFileAttributeView extends PosixFileAttributeView {
  @Override
  PvfsFileAttributes readAttributes() throws IOException;

  /** What new files in a directory get from now on. */
  void setDefaultStriping(StripingWish wish) throws IOException;

  /** The first daemon of a file that is made. */
  static FileAttribute<Integer> base(int daemon) {
    return new StripingAttribute("pvfs:base", daemon);
  }

  /** How many daemons a file that is made has. */
  static FileAttribute<Integer> count(int daemons) {
    return new StripingAttribute("pvfs:count", daemons);
  }

  /** The stripe size of a file that is made. */
  static FileAttribute<Integer> stripeSize(int bytes) {
    return new StripingAttribute("pvfs:stripeSize", bytes);
  }
}
