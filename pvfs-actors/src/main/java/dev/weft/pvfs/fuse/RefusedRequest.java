package dev.weft.pvfs.fuse;

/** A request that is answered with an error: before the file system sees it, or by what it throws while it was not answered. */
public final class RefusedRequest extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int errno;

  /** @param errno as {@link FuseReply#fail} takes it */
  public RefusedRequest(int errno, String message) {
    super(message, null, false, false);
    this.errno = errno;
  }

  int errno() {
    return errno;
  }
}
