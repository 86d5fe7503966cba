package dev.weft.pvfs.files;

import dev.weft.pvfs.Errno;
import java.io.IOException;

/** A failed operation on the file system. The operation has changed nothing unless the message says so. */
public final class PvfsException extends IOException {
  private static final long serialVersionUID = 1;

  private final int errno;
  private final String reason;

  /** @param what the operation and its object; the text of {@code errno} follows it */
  public PvfsException(int errno, String what) {
    this(what, errno, Errno.text(errno));
  }

  /** Uses other words than those of {@code errno}. */
  PvfsException(int errno, String what, String words) {
    this(what, errno, words + " (" + Errno.name(errno) + ")");
  }

  private PvfsException(String what, int errno, String reason) {
    super(what + ": " + reason);
    this.errno = errno;
    this.reason = reason;
  }

  /** Returns the reason in words, without the operation. */
  public String reason() {
    return reason;
  }

  /** Returns one of {@link Errno}. */
  public int errno() {
    return errno;
  }
}
