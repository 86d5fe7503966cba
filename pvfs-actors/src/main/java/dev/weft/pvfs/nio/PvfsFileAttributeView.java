package dev.weft.pvfs.nio;

import dev.weft.pvfs.layout.StripingWish;
import java.io.IOException;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;

/**
 * The view {@code pvfs}: the POSIX view and {@code base}, {@code count}, {@code stripeSize}, {@code daemons}. A file gets its striping when it is
 * made, from the attributes that this interface makes or from its directory.
 */
public interface PvfsFileAttributeView extends PosixFileAttributeView {
  @Override
  PvfsFileAttributes readAttributes() throws IOException;

  /** Sets the striping of files that are made in this directory from now on. */
  void setDefaultStriping(StripingWish wish) throws IOException;

  /** Sets the first daemon of a new file. */
  static FileAttribute<Integer> base(int daemon) {
    return new StripingAttribute("pvfs:base", daemon);
  }

  /** Sets the number of daemons of a new file. */
  static FileAttribute<Integer> count(int daemons) {
    return new StripingAttribute("pvfs:count", daemons);
  }

  /** Sets the stripe size of a new file, in bytes. */
  static FileAttribute<Integer> stripeSize(int bytes) {
    return new StripingAttribute("pvfs:stripeSize", bytes);
  }
}
