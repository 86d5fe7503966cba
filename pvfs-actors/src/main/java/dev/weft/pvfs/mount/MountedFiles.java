package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.fuse.AttributeChanges;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.fuse.FuseFileSystem;
import dev.weft.pvfs.fuse.FuseLock;
import dev.weft.pvfs.fuse.FuseNotifier;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * A file system for the kernel. The kernel ({@code default_permissions}) and the manager check permissions. Requests are answered from the cache if
 * the manager has allowed that.
 */
public final class MountedFiles implements FuseFileSystem {
  /** O_DSYNC, which is a part of O_SYNC. */
  private static final int DATA_SYNC = 0x1000;
  /** RENAME_NOREPLACE, RENAME_EXCHANGE and RENAME_WHITEOUT. */
  private static final int RENAME_FLAGS = 7;
  private static final byte[] SYSTEM = "system.".getBytes(StandardCharsets.US_ASCII);

  private final PvfsFileSystem files;
  private final CacheMode mode;
  private final OpenFiles open = new OpenFiles();
  private final MountLocks locks;
  private final MetadataCache cache;
  private final ManagerCalls calls;
  private final AttributeView view;
  private final AttributeChanger changer;
  private final MountedContent content;
  private final MappedFiles mapped;
  private final FileHandles handles;
  private KernelInvalidations invalidations;

  /**
   * Serves the file system that {@code files} is connected to.
   *
   * @param settings with the mode of the mount
   */
  public MountedFiles(PvfsFileSystem files, MountSettings settings) {
    this.files = files;
    this.mode = settings.mode();
    this.locks = new MountLocks(files.meta().locks());
    this.cache = new MetadataCache(files.meta().events()::remainingNs, settings.rememberedMax());
    files.meta().events().listen(cache);
    this.calls = new ManagerCalls(files.meta(), cache);
    this.view = new AttributeView(calls::ask, files.data(), cache, open);
    this.changer = new AttributeChanger(calls, files.data(), cache, open, view);
    this.content = new MountedContent(files.data(), files.appends(), cache);
    this.mapped = new MappedFiles(mode, cache, open, calls::ask, calls::tell);
    this.handles = new FileHandles(calls, files.data(), files.appends(), locks, cache, open, view, mapped);
  }

  @Override
  public void start(FuseNotifier notifier) {
    mapped.start(notifier);
    if (mode != CacheMode.NONE) {
      invalidations = new KernelInvalidations(notifier, mode == CacheMode.FULL, cache);
      files.meta().events().listen(invalidations);
    }
  }

  @Override
  public void destroy() {
    mapped.close();
    if (invalidations != null) {
      invalidations.close();
    }
  }

  @Override
  public boolean dropsPrivilege() {
    return true;
  }

  /** Returns the number of open files. */
  public int openCount() {
    return open.count();
  }

  /** Returns the number of cached inodes. */
  public int rememberedCount() {
    return cache.count();
  }

  // Locks.

  @Override
  public void getlk(long inode, long handle, long owner, FuseLock lock, FuseReply.Lock reply) {
    locks.test(inode, owner, lock, reply);
  }

  @Override
  public void setlk(long inode, long handle, long owner, FuseLock lock, boolean isFlock, boolean waits, FuseReply.Done reply) {
    locks.set(inode, handle, owner, lock, isFlock, waits, reply);
  }

  // Attributes.

  @Override
  public void lookup(long parent, byte[] name, FuseReply.Lookup reply) {
    long inode = cache.name(parent, name);
    MetadataCache.Known known = inode > MetadataCache.ABSENT ? cache.inode(inode) : null;
    if (known != null) {
      reply.entry(view.of(known.attributes(), known.isLengthOpen()), 0, cache.nameValidNs(parent, name), cache.validNs(inode));
      return;
    }
    if (inode == MetadataCache.ABSENT) {
      reply.absent(cache.nameValidNs(parent, name));
      return;
    }
    MetaRequest request = calls.request(MetaOp.LOOKUP, reply, parent).named(name);
    MetaReply answer = calls.ask(request);
    if (answer.errno() == Errno.ENOENT) {
      reply.absent(cache.nameValidNs(parent, name));
    } else {
      entry(request, answer, reply);
    }
  }

  private void entry(MetaRequest request, FuseReply.Entry reply) {
    entry(request, calls.ask(request), reply);
  }

  private void entry(MetaRequest request, MetaReply answer, FuseReply.Entry reply) {
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
    } else {
      reply.entry(view.of(answer), 0, cache.nameValidNs(request.inode(), request.name()), cache.validNs(answer.attributes().inode()));
    }
  }

  @Override
  public void getattr(long inode, long handle, FuseReply.Attributes reply) {
    MetadataCache.Known known = cache.inode(inode);
    if (known != null) {
      reply.attributes(view.sure(known.attributes(), known.isLengthOpen()), cache.validNs(inode));
      return;
    }
    MetaReply answer = calls.ask(calls.request(MetaOp.GETATTR, reply, inode), reply);
    if (answer != null) {
      reply.attributes(view.sure(answer.attributes(), (answer.number() & MetaReply.LENGTH_OPEN) != 0), cache.validNs(inode));
    }
  }

  @Override
  public void setattr(long inode, AttributeChanges changes, FuseReply.Attributes reply) {
    changer.set(inode, changes, reply);
  }

  // Names.

  @Override
  public void readlink(long inode, FuseReply.Data reply) {
    MetaReply answer = calls.ask(calls.request(MetaOp.READLINK, reply, inode), reply);
    if (answer != null) {
      MemorySegment target = reply.buffer().asSlice(0, answer.value().length);
      target.copyFrom(MemorySegment.ofArray(answer.value()));
      reply.data(target);
    }
  }

  @Override
  public void symlink(long parent, byte[] name, byte[] target, FuseReply.Entry reply) {
    entry(calls.request(MetaOp.SYMLINK, reply, parent).named(name).withValue(target), reply);
  }

  @Override
  public void mknod(long parent, byte[] name, int mode, int umask, int device, FuseReply.Entry reply) {
    MetaOp op = (mode & FileAttributes.TYPE_MASK) == FileAttributes.REGULAR ? MetaOp.CREATE : MetaOp.MKNOD;
    entry(calls.request(op, reply, parent, op == MetaOp.CREATE ? mode & 07777 : mode, op == MetaOp.CREATE ? 1 : device, -1, 0, 0).named(name), reply);
  }

  @Override
  public void mkdir(long parent, byte[] name, int mode, int umask, FuseReply.Entry reply) {
    entry(calls.request(MetaOp.MKDIR, reply, parent, mode & 07777).named(name), reply);
  }

  private void done(MetaRequest request, FuseReply.Done reply) {
    if (calls.ask(request, reply) != null) {
      reply.done();
    }
  }

  @Override
  public void unlink(long parent, byte[] name, FuseReply.Done reply) {
    done(calls.request(MetaOp.UNLINK, reply, parent).named(name), reply);
  }

  @Override
  public void rmdir(long parent, byte[] name, FuseReply.Done reply) {
    done(calls.request(MetaOp.RMDIR, reply, parent).named(name), reply);
  }

  @Override
  public void rename(long parent, byte[] name, long newParent, byte[] newName, int flags, FuseReply.Done reply) {
    if ((flags & ~RENAME_FLAGS) != 0) {
      reply.fail(Errno.EINVAL);
      return;
    }
    done(calls.request(MetaOp.RENAME, reply, parent, flags).withOther(newParent).named(name).withValue(newName), reply);
  }

  @Override
  public void link(long inode, long newParent, byte[] newName, FuseReply.Entry reply) {
    entry(calls.request(MetaOp.LINK, reply, newParent).withOther(inode).named(newName), reply);
  }

  // Open files.

  @Override
  public void open(long inode, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
    handles.open(inode, flags, reply);
  }

  @Override
  public void create(long parent, byte[] name, int mode, int umask, int flags, FuseReply.Create reply) {
    handles.create(parent, name, mode, flags, reply);
  }

  @Override
  public void read(long inode, long handle, long offset, int size, int flags, FuseReply.Data reply) {
    OpenFiles.OpenFile file = open.get(handle);
    if (reply.isPaging()) {
      reply.buffer(); // Taken here, since another thread may build the answer.
      page(file, reply, () -> content.read(file, offset, size, reply));
    } else {
      content.read(file, offset, size, reply);
    }
  }

  /** Moves pages of a mapping: the file must not be open for writing elsewhere. */
  private void page(OpenFiles.OpenFile file, FuseReply reply, Runnable transfer) {
    IntSupplier attempt = () -> {
      int errno = mapped.pages(file);
      if (errno == Errno.OK) {
        transfer.run();
      }
      return errno;
    };
    BusyFiles.answer(reply, attempt, errno -> errno == Errno.EBUSY ? mapped.refuse(file) : errno);
  }

  @Override
  public void write(long inode, long handle, long offset, MemorySegment data, int flags, boolean isWriteback, boolean dropsPrivilege,
      FuseReply.Count reply) {
    OpenFiles.OpenFile file = open.get(handle);
    int errno = file == null || file.writing() == null ? Errno.EBADF : dropsPrivilege ? changer.dropSetIds(inode) : Errno.OK;
    boolean syncs = (flags & DATA_SYNC) != 0; // The kernel does not sync content that it does not cache.
    if (errno != Errno.OK) {
      reply.fail(errno);
    } else if (isWriteback) {
      page(file, reply, () -> content.write(file, offset, data, false, syncs, reply));
    } else {
      content.write(file, offset, data, (flags & FileHandles.APPEND) != 0, syncs, reply);
    }
  }

  @Override
  public void flush(long inode, long handle, long lockOwner, FuseReply.Done reply) {
    MountedContent.answer(locks.drop(inode, lockOwner, FileLock.POSIX), reply); // Acknowledged writes are at the daemons already.
  }

  @Override
  public void release(long inode, long handle, int flags, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
    handles.release(inode, handle, lockOwner, unlocksFlock, reply);
  }

  @Override
  public void fsync(long inode, long handle, boolean isDataOnly, FuseReply.Done reply) {
    content.sync(open.get(handle), reply);
  }

  @Override
  public void fallocate(long inode, long handle, int mode, long offset, long bytes, FuseReply.Done reply) {
    content.allocate(open.get(handle), mode, offset, bytes, reply);
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
    reply.done(); // The manager answers only after its disk has the change.
  }

  @Override
  public void readdir(long inode, long handle, long offset, FuseReply.Directory reply) {
    long cookie = offset;
    while (true) {
      // With the rights of root: the kernel checked the opendir, and that stays valid whatever happens to caller and mode.
      MetaReply answer = calls.ask(MetaRequest.of(MetaOp.READDIR, Caller.ROOT, inode, cookie, MetaReply.VALUE_BYTES_MAX), reply);
      if (answer == null) {
        return;
      }
      List<DirectoryPage.Entry> page = DirectoryPage.decode(answer.value());
      for (DirectoryPage.Entry entry : page) {
        if (!add(inode, entry, reply)) {
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

  private boolean add(long directory, DirectoryPage.Entry entry, FuseReply.Directory reply) {
    FileAttributes known = entry.attributes();
    if (!reply.wantsAttributes()) {
      return reply.add(entry.name(), known.inode(), known.mode(), entry.cookie());
    }
    return reply.add(entry.name(), view.of(known, entry.isLengthOpen()), 0, entry.cookie(), cache.nameValidNs(directory, entry.name()),
        cache.validNs(known.inode()));
  }

  // Further.

  @Override
  public void statfs(long inode, FuseReply.Statistics reply) {
    content.statistics(inode, reply);
  }

  @Override
  public void setxattr(long inode, byte[] name, byte[] value, int flags, FuseReply.Done reply) {
    MetaReply answer = files.meta().values().write(calls::ask, calls.request(MetaOp.SETXATTR, reply, inode, flags).named(name), value);
    MountedContent.answer(answer.errno(), reply);
  }

  @Override
  public void getxattr(long inode, byte[] name, FuseReply.Value reply) {
    if (isOfSystem(name)) {
      reply.fail(Errno.ENOTSUP);
    } else {
      whole(calls.request(MetaOp.GETXATTR, reply, inode, 0).named(name), reply);
    }
  }

  /** Whether it is an access control list, which ls -l asks for with each file: there are none, and the manager need not be asked. */
  private static boolean isOfSystem(byte[] name) {
    return Arrays.mismatch(name, SYSTEM) == SYSTEM.length;
  }

  @Override
  public void listxattr(long inode, FuseReply.Value reply) {
    whole(calls.request(MetaOp.LISTXATTR, reply, inode, 0), reply);
  }

  private void whole(MetaRequest request, FuseReply.Value reply) {
    MetaReply answer = files.meta().values().read(calls::ask, request);
    if (answer.errno() == Errno.OK) {
      reply.value(answer.value());
    } else {
      reply.fail(answer.errno());
    }
  }

  @Override
  public void removexattr(long inode, byte[] name, FuseReply.Done reply) {
    done(calls.request(MetaOp.REMOVEXATTR, reply, inode).named(name), reply);
  }
}
