package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.IoTask;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.fuse.AttributeChanges;
import dev.weft.pvfs.fuse.FuseAttributes;
import dev.weft.pvfs.fuse.FuseFileSystem;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.fuse.FuseStatistics;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A file system as the kernel asks for it. Permissions are checked by the kernel ({@code default_permissions}) and by the manager. Locks are the kernel's,
 * so they hold on one mount only.
 */
public final class MountedFiles implements FuseFileSystem {
  private static final int BLOCK_BYTES = 512;
  private static final int ACCESS_MODE = 3;
  private static final int WRITE_ONLY = 1;
  private static final int TRUNCATE = 0x200;
  private static final int EXCLUSIVE = 0x80;
  private static final int PUNCH_HOLE = 2;
  private static final int KEEP_SIZE = 1;
  private static final int ZERO_RANGE = 16;
  /** In place of a length at CLOSE, as {@link MetaRequest} has them. */
  private static final long NOT_WRITTEN = -1;
  private static final long UNKNOWN_LENGTH = -2;
  private static final long[] NONE = {};
  private static final MemorySegment[] NO_MEMORY = {};

  private final PvfsFileSystem files;
  private final OpenFiles open = new OpenFiles();

  public MountedFiles(PvfsFileSystem files) {
    this.files = files;
  }

  /** The kernel's own, so far. */
  @Override
  public boolean hasLocks() {
    return false;
  }

  /** Files that are open. */
  public int openCount() {
    return open.count();
  }

  private static Caller caller(FuseReply reply) {
    return new Caller(reply.uid(), reply.gid(), List.of());
  }

  /** Asks the manager; null if it has answered with an error, which the kernel was told. */
  private MetaReply ask(MetaRequest request, FuseReply reply) {
    MetaReply answer = files.meta().ask(request);
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
      return null;
    }
    return answer;
  }

  private MetaRequest request(MetaOp op, FuseReply reply, long inode, long... numbers) {
    return MetaRequest.of(op, caller(reply), inode, numbers);
  }

  // Attributes.

  private FuseAttributes attributes(MetaReply of) {
    return attributes(of.attributes(), of.number() != 0);
  }

  /** With the length of the daemons, where only they know it: {@code isLengthOpen}, or it is being written here. */
  private FuseAttributes attributes(FileAttributes known, boolean isLengthOpen) {
    long bytes = known.bytes();
    if (known.isRegular() && (isLengthOpen || open.isWritten(known.inode()))) {
      IoTask stat = files.data().stat(known.inode(), known.striping());
      bytes = stat.errno() == Errno.OK ? stat.fileBytes() : bytes;
    }
    return attributes(known, bytes);
  }

  private static FuseAttributes attributes(FileAttributes known, long bytes) {
    int stripe = known.striping() == null ? Striping.STRIPE_BYTES_DEFAULT : known.striping().stripeBytes();
    int blockBytes = Math.clamp(Integer.highestOneBit(stripe), 4096, 1 << 20); // Programs take buffers of this size.
    return new FuseAttributes(known.inode(), known.mode(), known.links(), known.uid(), known.gid(), 0, bytes, (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES,
        blockBytes, known.atimeNs(), known.mtimeNs(), known.ctimeNs());
  }

  @Override
  public void lookup(long parent, byte[] name, FuseReply.Lookup reply) {
    MetaReply answer = files.meta().ask(request(MetaOp.LOOKUP, reply, parent).named(name));
    if (answer.errno() == Errno.ENOENT) {
      reply.absent(0);
    } else {
      entry(answer, reply);
    }
  }

  private void entry(MetaReply answer, FuseReply.Entry reply) {
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
    } else {
      reply.entry(attributes(answer), 0);
    }
  }

  @Override
  public void getattr(long inode, long handle, FuseReply.Attributes reply) {
    MetaReply answer = ask(request(MetaOp.GETATTR, reply, inode), reply);
    if (answer != null) {
      reply.attributes(attributes(answer));
    }
  }

  @Override
  public void setattr(long inode, AttributeChanges changes, FuseReply.Attributes reply) {
    long mask = bit(changes, AttributeChanges.MODE, MetaRequest.SET_MODE) | bit(changes, AttributeChanges.UID, MetaRequest.SET_UID)
        | bit(changes, AttributeChanges.GID, MetaRequest.SET_GID) | bit(changes, AttributeChanges.SIZE, MetaRequest.SET_BYTES)
        | (changes.has(AttributeChanges.SIZE) ? bit(changes, AttributeChanges.HANDLE, MetaRequest.SET_BY_HANDLE) : 0)
        | time(changes, AttributeChanges.ATIME, AttributeChanges.ATIME_NOW, MetaRequest.SET_ATIME, MetaRequest.SET_ATIME_NOW)
        | time(changes, AttributeChanges.MTIME, AttributeChanges.MTIME_NOW, MetaRequest.SET_MTIME, MetaRequest.SET_MTIME_NOW);
    MetaReply answer = ask(request(MetaOp.SETATTR, reply, inode, mask, changes.mode() & 07777, changes.uid(), changes.gid(), changes.sizeBytes(),
        changes.atimeNs(), changes.mtimeNs()), reply);
    if (answer != null) {
      if (changes.has(AttributeChanges.MTIME | AttributeChanges.MTIME_NOW)) {
        open.timeSet(inode);
      }
      reply.attributes(attributes(answer));
    }
  }

  private static long bit(AttributeChanges changes, int from, long to) {
    return changes.has(from) ? to : 0;
  }

  private static long time(AttributeChanges changes, int set, int now, long setTo, long setNow) {
    return changes.has(now) ? setTo | setNow : bit(changes, set, setTo);
  }

  // Names.

  @Override
  public void readlink(long inode, FuseReply.Data reply) {
    MetaReply answer = ask(request(MetaOp.READLINK, reply, inode), reply);
    if (answer != null) {
      MemorySegment target = reply.buffer().asSlice(0, answer.value().length);
      target.copyFrom(MemorySegment.ofArray(answer.value()));
      reply.data(target);
    }
  }

  @Override
  public void symlink(long parent, byte[] name, byte[] target, FuseReply.Entry reply) {
    entry(files.meta().ask(request(MetaOp.SYMLINK, reply, parent).named(name).withValue(target)), reply);
  }

  @Override
  public void mknod(long parent, byte[] name, int mode, int umask, int device, FuseReply.Entry reply) {
    MetaOp op = (mode & FileAttributes.TYPE_MASK) == FileAttributes.REGULAR ? MetaOp.CREATE : MetaOp.MKNOD;
    entry(files.meta().ask(request(op, reply, parent, op == MetaOp.CREATE ? mode & 07777 : mode, 1, -1, 0, 0).named(name)), reply);
  }

  @Override
  public void mkdir(long parent, byte[] name, int mode, int umask, FuseReply.Entry reply) {
    entry(files.meta().ask(request(MetaOp.MKDIR, reply, parent, mode & 07777).named(name)), reply);
  }

  private void done(MetaRequest request, FuseReply.Done reply) {
    if (ask(request, reply) != null) {
      reply.done();
    }
  }

  @Override
  public void unlink(long parent, byte[] name, FuseReply.Done reply) {
    done(request(MetaOp.UNLINK, reply, parent).named(name), reply);
  }

  @Override
  public void rmdir(long parent, byte[] name, FuseReply.Done reply) {
    done(request(MetaOp.RMDIR, reply, parent).named(name), reply);
  }

  @Override
  public void rename(long parent, byte[] name, long newParent, byte[] newName, int flags, FuseReply.Done reply) {
    if ((flags & ~3) != 0) {
      reply.fail(Errno.EINVAL);
      return;
    }
    done(request(MetaOp.RENAME, reply, parent, flags).withOther(newParent).named(name).withValue(newName), reply);
  }

  @Override
  public void link(long inode, long newParent, byte[] newName, FuseReply.Entry reply) {
    entry(files.meta().ask(request(MetaOp.LINK, reply, newParent).withOther(inode).named(newName)), reply);
  }

  // Open files.

  @Override
  public void open(long inode, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
    boolean mayWrite = (flags & ACCESS_MODE) != 0;
    boolean mayRead = (flags & ACCESS_MODE) != WRITE_ONLY;
    MetaReply answer = ask(request(MetaOp.OPEN, reply, inode, (mayRead ? 1 : 0) | (mayWrite ? 2 : 0)), reply);
    if (answer == null) {
      return;
    }
    if (!answer.attributes().isRegular()) {
      closeAtManager(inode, NOT_WRITTEN, mayWrite, false);
      reply.fail(Errno.EINVAL);
      return;
    }
    reply.opened(open.add(new OpenFiles.OpenFile(inode, answer.attributes().striping(), mayWrite)), false);
  }

  @Override
  public void create(long parent, byte[] name, int mode, int umask, int flags, FuseReply.Create reply) {
    boolean mayWrite = (flags & ACCESS_MODE) != 0;
    int access = (flags & ACCESS_MODE) == WRITE_ONLY ? 2 : mayWrite ? 3 : 1;
    MetaReply made = ask(request(MetaOp.CREATE, reply, parent, mode & 07777, (flags & EXCLUSIVE) != 0 ? 1 : 0, -1, 0, 0, access).named(name), reply);
    if (made == null) {
      return;
    }
    long inode = made.attributes().inode();
    if (!made.attributes().isRegular()) {
      closeAtManager(inode, NOT_WRITTEN, mayWrite, false);
      reply.fail(made.attributes().isDirectory() ? Errno.EISDIR : Errno.EINVAL);
      return;
    }
    long mask = MetaRequest.SET_BYTES | (mayWrite ? MetaRequest.SET_BY_HANDLE : 0);
    if ((flags & TRUNCATE) != 0 && ask(request(MetaOp.SETATTR, reply, inode, mask, 0, 0, 0, 0), reply) == null) {
      closeAtManager(inode, NOT_WRITTEN, mayWrite, false);
      return;
    }
    long handle = open.add(new OpenFiles.OpenFile(inode, made.attributes().striping(), mayWrite));
    reply.created(attributes(made), 0, handle);
  }

  @Override
  public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
    OpenFiles.OpenFile file = open.get(handle);
    if (file == null) {
      reply.fail(Errno.EBADF);
      return;
    }
    if (offset > Striping.FILE_BYTES_MAX - size) {
      reply.data();
      return;
    }
    MemorySegment buffer = reply.buffer().asSlice(0, size);
    IoTask task = files.data().read(inode, file.striping, offset, buffer);
    if (task.errno() != Errno.OK) {
      reply.fail(task.errno());
    } else {
      reply.data(buffer.asSlice(0, task.bytes()));
    }
  }

  @Override
  public void write(long inode, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
      FuseReply.Count reply) {
    OpenFiles.OpenFile file = open.get(handle);
    if (file == null || offset > Striping.FILE_BYTES_MAX - data.byteSize()) {
      reply.fail(file == null ? Errno.EBADF : Errno.EFBIG);
      return;
    }
    file.write();
    IoTask task = files.data().write(inode, file.striping, offset, data);
    if (task.errno() != Errno.OK) {
      reply.fail(task.errno());
    } else {
      reply.count(data.byteSize());
    }
  }

  @Override
  public void flush(long inode, long handle, long lockOwner, FuseReply.Done reply) {
    reply.done(); // What was answered is with the daemons.
  }

  @Override
  public void release(long inode, long handle, int flags, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
    OpenFiles.OpenFile file = open.get(handle);
    if (file == null) {
      reply.fail(Errno.EBADF);
      return;
    }
    long bytes = UNKNOWN_LENGTH;
    try {
      IoTask stat = file.written ? files.data().stat(inode, file.striping) : null;
      bytes = stat == null ? NOT_WRITTEN : stat.errno() == Errno.OK ? stat.fileBytes() : UNKNOWN_LENGTH;
    } finally {
      open.remove(handle);
      closeAtManager(inode, bytes, file.mayWrite, file.hasSetTime);
    }
    reply.done();
  }

  private void closeAtManager(long inode, long bytes, boolean mayWrite, boolean keepsTimes) {
    files.meta().ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, inode, bytes, mayWrite ? 1 : 0, keepsTimes ? 1 : 0));
  }

  @Override
  public void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
    OpenFiles.OpenFile file = open.get(handle);
    int errno = file == null ? Errno.EBADF : files.data().sync(inode, file.striping).errno();
    if (errno != Errno.OK) {
      reply.fail(errno);
    } else {
      reply.done();
    }
  }

  @Override
  public void fallocate(long inode, long handle, int mode, long offset, long bytes, FuseReply.Done reply) {
    OpenFiles.OpenFile file = open.get(handle);
    boolean punches = (mode & (PUNCH_HOLE | ZERO_RANGE)) != 0;
    if (file == null || (mode & ~(PUNCH_HOLE | KEEP_SIZE | ZERO_RANGE)) != 0 || mode == KEEP_SIZE) {
      reply.fail(file == null ? Errno.EBADF : Errno.ENOTSUP);
      return;
    }
    if (offset > Striping.FILE_BYTES_MAX - bytes) {
      reply.fail(Errno.EFBIG);
      return;
    }
    file.write();
    int errno = punches ? files.data().call(DaemonOp.PUNCH, inode, file.striping, new long[] {offset}, new long[] {bytes}, NO_MEMORY).errno() : Errno.OK;
    if (errno == Errno.OK && (mode & KEEP_SIZE) == 0) {
      errno = files.data().call(DaemonOp.EXTEND, inode, file.striping, new long[] {offset + bytes}, new long[] {0}, NO_MEMORY).errno();
    }
    if (errno != Errno.OK) {
      reply.fail(errno);
    } else {
      reply.done();
    }
  }

  // Directories.

  @Override
  public void opendir(long inode, int flags, FuseReply.Open reply) {
    reply.opened(0, false);
  }

  @Override
  public void releasedir(long inode, long handle, FuseReply.Done reply) {
    reply.done();
  }

  @Override
  public void fsyncdir(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
    reply.done(); // The manager answers what is on its disk.
  }

  @Override
  public void readdir(long inode, long handle, long offset, FuseReply.Directory reply) {
    long cookie = offset;
    while (true) {
      MetaReply answer = ask(request(MetaOp.READDIR, reply, inode, cookie, MetaReply.VALUE_BYTES_MAX), reply);
      if (answer == null) {
        return;
      }
      List<DirectoryPage.Entry> page = DirectoryPage.decode(answer.value());
      for (DirectoryPage.Entry entry : page) {
        if (!add(entry, reply)) {
          reply.done();
          return;
        }
        cookie = entry.cookie();
      }
      if (page.isEmpty()) {
        reply.done();
        return;
      }
    }
  }

  private boolean add(DirectoryPage.Entry entry, FuseReply.Directory reply) {
    FileAttributes known = entry.attributes();
    if (!reply.wantsAttributes()) {
      return reply.add(entry.name(), known.inode(), known.mode(), entry.cookie());
    }
    return reply.add(entry.name(), attributes(known, entry.isLengthOpen()), 0, entry.cookie());
  }

  // Further.

  @Override
  public void statfs(long inode, FuseReply.Statistics reply) {
    long free = 0;
    long all = 0;
    int daemons = files.daemons().size();
    for (int i = 0; i < daemons; i++) {
      IoTask task = files.data().call(DaemonOp.STATFS, inode, new Striping(i, 1, Striping.STRIPE_BYTES_DEFAULT, daemons), NONE, NONE, NO_MEMORY);
      if (task.errno() != Errno.OK) {
        reply.fail(task.errno());
        return;
      }
      free += task.freeBytes();
      all += task.totalBytes();
    }
    int blockBytes = 4096;
    reply.statistics(new FuseStatistics(blockBytes, all / blockBytes, free / blockBytes, free / blockBytes, 0, 0, 255));
  }

  @Override
  public void setxattr(long inode, byte[] name, byte[] value, int flags, FuseReply.Done reply) {
    done(request(MetaOp.SETXATTR, reply, inode, flags).named(name).withValue(value), reply);
  }

  @Override
  public void getxattr(long inode, byte[] name, FuseReply.Value reply) {
    MetaReply answer = ask(request(MetaOp.GETXATTR, reply, inode).named(name), reply);
    if (answer != null) {
      reply.value(answer.value());
    }
  }

  @Override
  public void listxattr(long inode, FuseReply.Value reply) {
    MetaReply answer = ask(request(MetaOp.LISTXATTR, reply, inode), reply);
    if (answer != null) {
      reply.value(answer.value());
    }
  }

  @Override
  public void removexattr(long inode, byte[] name, FuseReply.Done reply) {
    done(request(MetaOp.REMOVEXATTR, reply, inode).named(name), reply);
  }
}
