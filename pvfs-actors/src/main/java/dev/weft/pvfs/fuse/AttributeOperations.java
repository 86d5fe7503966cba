package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.E2BIG;
import static dev.weft.pvfs.Errno.EINVAL;

/** Decodes operations on attributes of inodes, on extended attributes, and on the file system. */
final class AttributeOperations {
  private static final int SETATTR_IN_BYTES = 88;

  private final FuseFileSystem files;

  AttributeOperations(FuseFileSystem files) {
    this.files = files;
  }

  /** {@code struct fuse_getattr_in}. */
  void getattr(FuseRequest in, Exchange reply) {
    int flags = in.int32();
    long handle = in.skip(Integer.BYTES).int64();
    files.getattr(in.node(), (flags & Protocol.GETATTR_FH) != 0 ? handle : FuseFileSystem.NO_HANDLE, reply);
  }

  /** {@code struct fuse_setattr_in}. */
  void setattr(FuseRequest in, Exchange reply) {
    if (in.remaining() < SETATTR_IN_BYTES) {
      in.skip(SETATTR_IN_BYTES);
    }
    int valid = in.int32();
    long handle = in.skip(Integer.BYTES).int64();
    long size = in.int64();
    long owner = in.int64();
    long atime = in.int64();
    long mtime = in.int64();
    long ctime = in.int64();
    long atimeNs = FuseRequest.time(atime, in.int32());
    long mtimeNs = FuseRequest.time(mtime, in.int32());
    long ctimeNs = FuseRequest.time(ctime, in.int32());
    int mode = in.int32();
    int uid = in.skip(Integer.BYTES).int32();
    int gid = in.int32();
    if ((valid & AttributeChanges.SIZE) != 0 && size < 0) {
      throw new RefusedRequest(EINVAL, "a size of " + size);
    }
    long usedHandle = (valid & AttributeChanges.HANDLE) != 0 ? handle : FuseFileSystem.NO_HANDLE;
    files.setattr(in.node(), new AttributeChanges(valid, usedHandle, size, owner, atimeNs, mtimeNs, ctimeNs, mode, uid, gid), reply);
  }

  void statfs(FuseRequest in, Exchange reply) {
    files.statfs(in.node(), reply);
  }

  /** {@code struct fuse_access_in}. */
  void access(FuseRequest in, Exchange reply) {
    files.access(in.node(), in.int32(), reply);
  }

  /** {@code struct fuse_setxattr_in}, in its form without FUSE_SETXATTR_EXT. */
  void setxattr(FuseRequest in, Exchange reply) {
    int size = in.int32();
    int flags = in.int32();
    byte[] name = in.attributeName();
    if (size < 0 || size > Protocol.XATTR_BYTES_MAX) {
      throw new RefusedRequest(E2BIG, "an attribute of " + Integer.toUnsignedLong(size) + " bytes, at most " + Protocol.XATTR_BYTES_MAX + " can be");
    }
    files.setxattr(in.node(), name, in.bytes(size), flags, reply);
  }

  /** {@code struct fuse_getxattr_in}. */
  void getxattr(FuseRequest in, Exchange reply) {
    reply.setSizeMax(in.size(Protocol.XATTR_BYTES_MAX));
    files.getxattr(in.node(), in.skip(Integer.BYTES).attributeName(), reply);
  }

  void listxattr(FuseRequest in, Exchange reply) {
    reply.setSizeMax(in.size(Protocol.XATTR_BYTES_MAX));
    files.listxattr(in.node(), reply);
  }

  void removexattr(FuseRequest in, Exchange reply) {
    files.removexattr(in.node(), in.attributeName(), reply);
  }
}
