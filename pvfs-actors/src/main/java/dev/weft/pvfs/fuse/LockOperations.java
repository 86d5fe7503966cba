package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EINVAL;

/** Decodes operations on locks: {@code struct fuse_lk_in}. */
final class LockOperations {
  private static final int ENOLCK = 37;

  private final FuseFileSystem files;
  private final Outstanding outstanding;

  LockOperations(FuseFileSystem files, Outstanding outstanding) {
    this.files = files;
    this.outstanding = outstanding;
  }

  void getlk(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long owner = in.int64();
    files.getlk(in.node(), handle, owner, lock(in), reply);
  }

  void setlk(FuseRequest in, Exchange reply, boolean waits) {
    long handle = in.int64();
    long owner = in.int64();
    FuseLock lock = lock(in);
    boolean isFlock = (in.int32() & Protocol.LK_FLOCK) != 0;
    if (waits && !outstanding.startWaiting(reply)) {
      reply.fail(ENOLCK);
      return;
    }
    files.setlk(in.node(), handle, owner, lock, isFlock, waits, reply);
  }

  private static FuseLock lock(FuseRequest in) {
    long start = in.offset();
    long end = in.offset();
    int type = in.int32();
    if (type < FuseLock.READ || type > FuseLock.UNLOCK || start > end) {
      throw new RefusedRequest(EINVAL, "a lock of type " + type + " from " + start + " to " + end);
    }
    return new FuseLock(type, start, end, in.int32());
  }
}
