package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import java.io.IOException;

/** An operation on the file system that failed; nothing of it is done unless the message says so. */
public final class PvfsException extends IOException {
  private static final long serialVersionUID = 1;

  private final int errno;
  private final String reason;

  /** @param what was tried, and with what; the words for {@code errno} come behind it */
  public PvfsException(int errno, String what) {
    this(what, errno, Errno.text(errno));
  }

  /** The same in other words than those that {@code errno} has. */
  PvfsException(int errno, String what, String words) {
    this(what, errno, words + " (" + Errno.name(errno) + ")");
  }

  private PvfsException(String what, int errno, String reason) {
    super(what + ": " + reason);
    this.errno = errno;
    this.reason = reason;
  }

  /** Why it failed, in words, without what was tried. */
  public String reason() {
    return reason;
  }

  /** One of {@link Errno}. */
  public int errno() {
    return errno;
  }
}
