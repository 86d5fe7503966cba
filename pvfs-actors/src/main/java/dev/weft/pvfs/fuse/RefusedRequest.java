package dev.weft.pvfs.fuse;

/** A request that is answered with an error. Thrown before the file system sees the request, or by the file system instead of an answer. */
public final class RefusedRequest extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final int errno;

  /** @param errno as in {@link FuseReply#fail} */
  public RefusedRequest(int errno, String message) {
    super(message, null, false, false);
    this.errno = errno;
  }

  int errno() {
    return errno;
  }
}
