package dev.weft.pvfs.fuse;

/** Decodes operations on names and links. */
final class NameOperations {
  private final FuseFileSystem files;

  NameOperations(FuseFileSystem files) {
    this.files = files;
  }

  void lookup(FuseRequest in, Exchange reply) {
    files.lookup(in.node(), in.name(), reply);
  }

  void readlink(FuseRequest in, Exchange reply) {
    reply.setSizeMax(Protocol.TARGET_BYTES_MAX);
    files.readlink(in.node(), reply);
  }

  void symlink(FuseRequest in, Exchange reply) {
    byte[] name = in.name();
    files.symlink(in.node(), name, in.target(), reply);
  }

  /** {@code struct fuse_mknod_in}. */
  void mknod(FuseRequest in, Exchange reply) {
    int mode = in.int32();
    int device = in.int32();
    int umask = in.int32();
    files.mknod(in.node(), in.skip(Integer.BYTES).name(), mode, umask, device, reply);
  }

  /** {@code struct fuse_mkdir_in}. */
  void mkdir(FuseRequest in, Exchange reply) {
    int mode = in.int32();
    int umask = in.int32();
    files.mkdir(in.node(), in.name(), mode, umask, reply);
  }

  void unlink(FuseRequest in, Exchange reply) {
    files.unlink(in.node(), in.name(), reply);
  }

  void rmdir(FuseRequest in, Exchange reply) {
    files.rmdir(in.node(), in.name(), reply);
  }

  /** {@code struct fuse_rename_in} or {@code fuse_rename2_in}. */
  void rename(FuseRequest in, Exchange reply) {
    long newParent = in.int64();
    int flags = 0;
    if (in.opcode() == Protocol.RENAME2) {
      flags = in.int32();
      in.skip(Integer.BYTES);
    }
    byte[] name = in.name();
    files.rename(in.node(), name, newParent, in.name(), flags, reply);
  }

  /** {@code struct fuse_link_in}. */
  void link(FuseRequest in, Exchange reply) {
    long inode = in.int64();
    files.link(inode, in.node(), in.name(), reply);
  }
}
