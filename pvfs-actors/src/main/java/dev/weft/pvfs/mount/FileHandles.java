package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.LossWatch;
import dev.weft.pvfs.files.Appends;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;

/** Opens, creates and closes files for the kernel, which gets a handle for each. Any thread. */
final class FileHandles {
  private static final int ACCESS_MODE = 3;
  private static final int WRITE_ONLY = 1;
  private static final int TRUNCATE = 0x200;
  static final int APPEND = 0x400;
  private static final int EXCLUSIVE = 0x80;
  /**
   * Opened for execution, a flag that only the kernel can set: it has checked that the caller may execute the file, which need not be readable for
   * it.
   */
  private static final int EXECUTES = 0x20;

  private final ManagerCalls calls;
  private final DataClient data;
  private final Appends appends;
  private final MountLocks locks;
  private final MetadataCache cache;
  private final OpenFiles open;
  private final AttributeView view;
  private final MappedFiles mapped;

  FileHandles(ManagerCalls calls, DataClient data, Appends appends, MountLocks locks, MetadataCache cache, OpenFiles open, AttributeView view,
      MappedFiles mapped) {
    this.calls = calls;
    this.data = data;
    this.appends = appends;
    this.locks = locks;
    this.cache = cache;
    this.open = open;
    this.view = view;
    this.mapped = mapped;
  }

  void open(long inode, int flags, FuseReply.Open reply) {
    boolean executes = (flags & EXECUTES) != 0 && !mayWrite(flags);
    Caller caller = executes ? Caller.ROOT : calls.caller(reply);
    BusyFiles.answer(reply, () -> open(caller, inode, flags, reply));
  }

  private int open(Caller caller, long inode, int flags, FuseReply.Open reply) {
    MetadataCache.Known before = cache.inode(inode);
    MetaReply answer = calls.ask(MetaRequest.of(MetaOp.OPEN, caller, inode, access(flags)));
    if (answer.errno() != Errno.OK) {
      return answer.errno();
    }
    if (!answer.attributes().isRegular()) {
      closeUnwritten(inode, flags);
      return Errno.EINVAL;
    }
    boolean keepsCache = before != null && !before.isLengthOpen() && (answer.number() & MetaReply.LENGTH_OPEN) == 0
        && before.attributes().mtimeNs() == answer.attributes().mtimeNs();
    reply.opened(opened(answer, flags), keepsCache, isDirect(flags));
    return Errno.OK;
  }

  private static boolean mayWrite(int flags) {
    return (flags & ACCESS_MODE) != 0;
  }

  /**
   * Whether to bypass the kernel's cache: for appends, which go to the end wherever it is, and for reading and writing, because the mount must notice
   * a mapping.
   */
  private static boolean isDirect(int flags) {
    return (flags & APPEND) != 0 || (flags & ACCESS_MODE) > WRITE_ONLY;
  }

  /** Returns the access for OPEN. */
  private static int access(int flags) {
    return (flags & ACCESS_MODE) == WRITE_ONLY ? 2 : mayWrite(flags) ? 3 : 1;
  }

  void create(long parent, byte[] name, int mode, int flags, FuseReply.Create reply) {
    MetaRequest request = calls.request(MetaOp.CREATE, reply, parent, mode & 07777, (flags & EXCLUSIVE) != 0 ? 1 : 0, -1, 0, 0, access(flags)).named(name);
    BusyFiles.answer(reply, () -> create(request, flags, reply));
  }

  private int create(MetaRequest request, int flags, FuseReply.Create reply) {
    MetaReply made = calls.ask(request);
    if (made.errno() != Errno.OK) {
      return made.errno();
    }
    long inode = made.attributes().inode();
    if (!made.attributes().isRegular()) {
      closeUnwritten(inode, flags);
      return made.attributes().isDirectory() ? Errno.EISDIR : Errno.EINVAL;
    }
    boolean mayHaveMore = mayWrite(flags) ? (made.number() & MetaReply.SOLE) == 0 : (made.number() & MetaReply.LENGTH_OPEN) != 0;
    boolean cuts = (flags & TRUNCATE) != 0 && (made.attributes().bytes() > 0 || mayHaveMore);
    long mask = MetaRequest.SET_BYTES | (mayWrite(flags) ? MetaRequest.SET_BY_HANDLE : 0);
    int unreached = cuts ? data.reach(inode, () -> made.attributes().striping()) : Errno.OK;
    if (unreached != Errno.OK) {
      closeUnwritten(inode, flags);
      return unreached;
    }
    MetaReply cut = cuts ? calls.ask(MetaRequest.of(MetaOp.SETATTR, request.caller(), inode, mask, 0, 0, 0, 0)) : made;
    if (cut.errno() != Errno.OK) {
      closeUnwritten(inode, flags);
      return cut.errno();
    }
    if (cuts) {
      data.cutByManager(inode, made.attributes().striping());
    }
    long handle = opened(made, flags);
    long validNs = Math.min(cache.nameValidNs(request.inode(), request.name()), cache.validNs(inode));
    reply.created(view.of(cut), 0, handle, isDirect(flags), validNs);
    return Errno.OK;
  }

  private long opened(MetaReply answer, int flags) {
    long inode = answer.attributes().inode();
    boolean isAppended = (flags & APPEND) != 0 && mayWrite(flags);
    if (isAppended) {
      appends.opened(inode);
    }
    LossWatch losses = mayWrite(flags) ? data.watch(inode) : LossWatch.NONE;
    return open.add(new OpenFiles.OpenFile(inode, answer.attributes().striping(), isAppended, losses), mayWrite(flags));
  }

  void release(long inode, long handle, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
    OpenFiles.OpenFile file = open.remove(handle);
    if (file == null) {
      reply.fail(Errno.EBADF);
      return;
    }
    if (unlocksFlock) {
      locks.drop(inode, lockOwner, FileLock.FLOCK);
    }
    locks.dropOf(handle);
    if (file.isAppended) {
      appends.closed(inode);
    }
    if (file.writing() == null) {
      closeUnheard(inode, 0, false, false);
    } else {
      closeWritten(file);
    }
    reply.done();
  }

  /** The last close of this mount reports the length, for all of its opens. */
  private void closeWritten(OpenFiles.OpenFile file) {
    synchronized (open.closer(file.inode)) {
      boolean isLast = open.isLast(file);
      boolean hasSetTime = file.writing().hasSetTime();
      if (isLast && file.writing().isWritten()) {
        long bytes = view.length(file.inode, file.striping, MetaRequest.UNKNOWN_LENGTH);
        calls.ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file.inode, bytes, 1, hasSetTime ? 1 : 0, MetaRequest.CLOSES_LAST,
            file.writing().lastWroteNs()));
      } else {
        closeUnheard(file.inode, ACCESS_MODE, hasSetTime, isLast);
      }
      open.left(file, () -> mapped.unbind(file)); // Only after the manager knows the length: until then requests are answered from the state here.
    }
  }

  private void closeUnwritten(long inode, int flags) {
    calls.ask(closing(inode, flags, false, false));
  }

  /** Closes without reporting a length: later requests of this mount come behind it, and no thread waits for its answer. */
  private void closeUnheard(long inode, int flags, boolean keepsTimes, boolean isLast) {
    calls.tell(closing(inode, flags, keepsTimes, isLast));
  }

  private static MetaRequest closing(long inode, int flags, boolean keepsTimes, boolean isLast) {
    return MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, inode, MetaRequest.NOT_WRITTEN, mayWrite(flags) ? 1 : 0, keepsTimes ? 1 : 0,
        isLast ? MetaRequest.CLOSES_LAST : 1);
  }
}
