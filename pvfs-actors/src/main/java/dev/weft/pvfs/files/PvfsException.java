package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import java.io.IOException;

/** An operation on the file system that failed; nothing of it is done unless the message says so. */
public final class PvfsException extends IOException {
  private static final long serialVersionUID = 1;

  private final int errno;

  /** @param what was tried, and with what; the words for {@code errno} come behind it */
  public PvfsException(int errno, String what) {
    super(what + ": " + Errno.text(errno));
    this.errno = errno;
  }

  /** One of {@link Errno}. */
  public int errno() {
    return errno;
  }
}
