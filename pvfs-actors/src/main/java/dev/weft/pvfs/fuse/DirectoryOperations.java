package dev.weft.pvfs.fuse;

/** Decodes operations on open directories. */
final class DirectoryOperations {
  private final FuseFileSystem files;
  private final int transferBytes;

  DirectoryOperations(FuseFileSystem files, int transferBytes) {
    this.files = files;
    this.transferBytes = transferBytes;
  }

  /** {@code struct fuse_open_in}. */
  void opendir(FuseRequest in, Exchange reply) {
    files.opendir(in.node(), in.int32(), reply);
  }

  /** {@code struct fuse_read_in}, with or without attributes. */
  void readdir(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long offset = in.int64(); // The file system chose this number; it may be negative.
    reply.setSizeMax(in.size(transferBytes));
    reply.keepBuffer(); // The answer is built in it, possibly on another thread.
    files.readdir(in.node(), handle, offset, reply);
  }

  /** {@code struct fuse_release_in}. */
  void releasedir(FuseRequest in, Exchange reply) {
    files.releasedir(in.node(), in.int64(), reply);
  }

  /** {@code struct fuse_fsync_in}. */
  void fsyncdir(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    files.fsyncdir(in.node(), handle, (in.int32() & Protocol.FSYNC_DATA_ONLY) != 0, reply);
  }
}
