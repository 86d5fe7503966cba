package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.ENOSYS;

/** Selects the decoder for each operation. Any thread. */
final class Dispatcher {
  private final NameOperations names;
  private final AttributeOperations attributes;
  private final FileOperations files;
  private final DirectoryOperations directories;
  private final LockOperations locks;

  Dispatcher(FuseFileSystem fileSystem, Outstanding outstanding, int transferBytes) {
    names = new NameOperations(fileSystem);
    attributes = new AttributeOperations(fileSystem);
    files = new FileOperations(fileSystem, transferBytes);
    directories = new DirectoryOperations(fileSystem, transferBytes);
    locks = new LockOperations(fileSystem, outstanding);
  }

  void dispatch(FuseRequest in, Exchange reply) {
    switch (in.opcode()) {
      case Protocol.READ -> files.read(in, reply);
      case Protocol.WRITE -> files.write(in, reply);
      case Protocol.LOOKUP -> names.lookup(in, reply);
      case Protocol.GETATTR -> attributes.getattr(in, reply);
      case Protocol.SETATTR -> attributes.setattr(in, reply);
      case Protocol.READLINK -> names.readlink(in, reply);
      case Protocol.SYMLINK -> names.symlink(in, reply);
      case Protocol.MKNOD -> names.mknod(in, reply);
      case Protocol.MKDIR -> names.mkdir(in, reply);
      case Protocol.UNLINK -> names.unlink(in, reply);
      case Protocol.RMDIR -> names.rmdir(in, reply);
      case Protocol.RENAME, Protocol.RENAME2 -> names.rename(in, reply);
      case Protocol.LINK -> names.link(in, reply);
      case Protocol.OPEN -> files.open(in, reply);
      case Protocol.CREATE -> files.create(in, reply);
      case Protocol.FLUSH -> files.flush(in, reply);
      case Protocol.RELEASE -> files.release(in, reply);
      case Protocol.FSYNC -> files.fsync(in, reply);
      case Protocol.FALLOCATE -> files.fallocate(in, reply);
      case Protocol.LSEEK -> files.lseek(in, reply);
      case Protocol.COPY_FILE_RANGE, Protocol.COPY_FILE_RANGE_64 -> files.copyFileRange(in, reply);
      case Protocol.OPENDIR -> directories.opendir(in, reply);
      case Protocol.READDIR, Protocol.READDIRPLUS -> directories.readdir(in, reply);
      case Protocol.RELEASEDIR -> directories.releasedir(in, reply);
      case Protocol.FSYNCDIR -> directories.fsyncdir(in, reply);
      case Protocol.STATFS -> attributes.statfs(in, reply);
      case Protocol.ACCESS -> attributes.access(in, reply);
      case Protocol.SETXATTR -> attributes.setxattr(in, reply);
      case Protocol.GETXATTR -> attributes.getxattr(in, reply);
      case Protocol.LISTXATTR -> attributes.listxattr(in, reply);
      case Protocol.REMOVEXATTR -> attributes.removexattr(in, reply);
      case Protocol.GETLK -> locks.getlk(in, reply);
      case Protocol.SETLK -> locks.setlk(in, reply, false);
      case Protocol.SETLKW -> locks.setlk(in, reply, true);
      case Protocol.DESTROY -> reply.done();
      default -> reply.fail(ENOSYS); // IOCTL, POLL, BMAP, STATX and operations of later kernels: the kernel works without them.
    }
  }
}
