package dev.weft.pvfs.fuse;

/** Decodes operations on open files and their content. */
final class FileOperations {
  private static final long COPY_BYTES_MAX = Integer.MAX_VALUE & -4096L;

  private final FuseFileSystem files;
  private final int transferBytes;

  FileOperations(FuseFileSystem files, int transferBytes) {
    this.files = files;
    this.transferBytes = transferBytes;
  }

  /** {@code struct fuse_open_in}. */
  void open(FuseRequest in, Exchange reply) {
    int flags = in.int32();
    files.open(in.node(), flags, (in.int32() & Protocol.OPEN_KILL_SUIDGID) != 0, reply);
  }

  /** {@code struct fuse_create_in}. */
  void create(FuseRequest in, Exchange reply) {
    int flags = in.int32();
    int mode = in.int32();
    int umask = in.int32();
    files.create(in.node(), in.skip(Integer.BYTES).name(), mode, umask, flags, reply);
  }

  /** {@code struct fuse_read_in}. */
  void read(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long offset = in.offset();
    int size = in.size(transferBytes);
    boolean isPaging = (in.int32() & Protocol.READ_LOCKOWNER) == 0; // A read for a program names a lock owner.
    int flags = in.skip(Long.BYTES).int32();
    FuseRequest.checkEnd(offset, size);
    reply.setSizeMax(size);
    reply.setPaging(isPaging);
    files.read(in.node(), handle, offset, size, flags, reply);
  }

  /** {@code struct fuse_write_in}. */
  void write(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long offset = in.offset();
    int size = in.size(transferBytes);
    int how = in.int32();
    int flags = in.skip(Long.BYTES).int32();
    in.skip(Integer.BYTES);
    FuseRequest.checkEnd(offset, size);
    reply.keepBuffer();
    files.write(in.node(), handle, offset, in.slice(size), flags, (how & Protocol.WRITE_CACHE) != 0, (how & Protocol.WRITE_KILL_SUIDGID) != 0, reply);
  }

  /** {@code struct fuse_flush_in}. */
  void flush(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    files.flush(in.node(), handle, in.skip(Long.BYTES).int64(), reply);
  }

  /** {@code struct fuse_release_in}. */
  void release(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    int flags = in.int32();
    int how = in.int32();
    files.release(in.node(), handle, flags, in.int64(), (how & Protocol.RELEASE_FLOCK_UNLOCK) != 0, reply);
  }

  /** {@code struct fuse_fsync_in}. */
  void fsync(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    files.fsync(in.node(), handle, (in.int32() & Protocol.FSYNC_DATA_ONLY) != 0, reply);
  }

  /** {@code struct fuse_fallocate_in}. */
  void fallocate(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long offset = in.offset();
    long bytes = in.offset();
    FuseRequest.checkEnd(offset, bytes);
    files.fallocate(in.node(), handle, in.int32(), offset, bytes, reply);
  }

  /** {@code struct fuse_lseek_in}. */
  void lseek(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long offset = in.offset();
    files.lseek(in.node(), handle, offset, in.int32(), reply);
  }

  /** {@code struct fuse_copy_file_range_in}. */
  void copyFileRange(FuseRequest in, Exchange reply) {
    long handle = in.int64();
    long offset = in.offset();
    long nodeOut = in.int64();
    long handleOut = in.int64();
    long offsetOut = in.offset();
    long bytes = Math.min(in.offset(), COPY_BYTES_MAX); // The answer has 32 bits; a program that wants more repeats the call.
    FuseRequest.checkEnd(offset, bytes);
    FuseRequest.checkEnd(offsetOut, bytes);
    files.copyFileRange(in.node(), handle, offset, nodeOut, handleOut, offsetOut, bytes, in.int64(), reply);
  }
}
