package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.LossWatch;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.fuse.AttributeChanges;
import dev.weft.pvfs.fuse.CacheMode;
import dev.weft.pvfs.fuse.FuseAttributes;
import dev.weft.pvfs.fuse.FuseFileSystem;
import dev.weft.pvfs.fuse.FuseLock;
import dev.weft.pvfs.fuse.FuseNotifier;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DirectoryPage;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/**
 * A file system for the kernel. The kernel ({@code default_permissions}) and the manager check permissions. Requests are answered from the cache if
 * the manager has allowed that.
 */
public final class MountedFiles implements FuseFileSystem {
  private static final int ACCESS_MODE = 3;
  private static final int WRITE_ONLY = 1;
  private static final int TRUNCATE = 0x200;
  private static final int APPEND = 0x400;
  private static final int EXCLUSIVE = 0x80;
  /** O_DSYNC, which is a part of O_SYNC. */
  private static final int DATA_SYNC = 0x1000;
  /**
   * Opened for execution, a flag that only the kernel can set: it has checked that the caller may execute the file, which need not be readable for
   * it.
   */
  private static final int EXECUTES = 0x20;
  private static final int SET_IDS = 06000;
  /** RENAME_NOREPLACE, RENAME_EXCHANGE and RENAME_WHITEOUT. */
  private static final int RENAME_FLAGS = 7;
  private static final int CLOSERS = 64;
  private static final byte[] SYSTEM = "system.".getBytes(StandardCharsets.US_ASCII);

  private final PvfsFileSystem files;
  private final CacheMode mode;
  private final OpenFiles open = new OpenFiles();
  private final Callers callers = new Callers(Path.of("/proc"));
  private final MountLocks locks;
  private final MetadataCache cache;
  private final AttributeView view;
  private final MountedContent content;
  private final MappedFiles mapped;
  /** Locks by inode: the closes of a file report its length one after the other. */
  private final Object[] closers = Stream.generate(Object::new).limit(CLOSERS).toArray();
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
    this.view = new AttributeView(this::ask, files.data(), cache, open);
    this.content = new MountedContent(files.data(), files.appends(), cache);
    this.mapped = new MappedFiles(mode, cache, open, this::ask, this::tell);
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

  // Requests to the manager.

  private MetaReply ask(MetaRequest request) {
    return files.meta().ask(request, reply -> cache.learn(request, reply));
  }

  /** Asks the manager; returns null after an error, which the kernel has been answered. */
  private MetaReply ask(MetaRequest request, FuseReply reply) {
    MetaReply answer = ask(request);
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
      return null;
    }
    return answer;
  }

  private MetaRequest request(MetaOp op, FuseReply reply, long inode, long... numbers) {
    return MetaRequest.of(op, callers.of(reply), inode, numbers);
  }

  // Attributes.

  private FuseAttributes attributes(MetaReply of) {
    return view.of(of.attributes(), (of.number() & MetaReply.LENGTH_OPEN) != 0);
  }

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
    MetaRequest request = request(MetaOp.LOOKUP, reply, parent).named(name);
    MetaReply answer = ask(request);
    if (answer.errno() == Errno.ENOENT) {
      reply.absent(cache.nameValidNs(parent, name));
    } else {
      entry(request, answer, reply);
    }
  }

  private void entry(MetaRequest request, FuseReply.Entry reply) {
    entry(request, ask(request), reply);
  }

  private void entry(MetaRequest request, MetaReply answer, FuseReply.Entry reply) {
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
    } else {
      reply.entry(attributes(answer), 0, cache.nameValidNs(request.inode(), request.name()), cache.validNs(answer.attributes().inode()));
    }
  }

  @Override
  public void getattr(long inode, long handle, FuseReply.Attributes reply) {
    MetadataCache.Known known = cache.inode(inode);
    if (known != null) {
      reply.attributes(view.sure(known.attributes(), known.isLengthOpen()), cache.validNs(inode));
      return;
    }
    MetaReply answer = ask(request(MetaOp.GETATTR, reply, inode), reply);
    if (answer != null) {
      reply.attributes(view.sure(answer.attributes(), (answer.number() & MetaReply.LENGTH_OPEN) != 0), cache.validNs(inode));
    }
  }

  @Override
  public void setattr(long inode, AttributeChanges changes, FuseReply.Attributes reply) {
    long mask = bit(changes, AttributeChanges.MODE, MetaRequest.SET_MODE) | bit(changes, AttributeChanges.UID, MetaRequest.SET_UID)
        | bit(changes, AttributeChanges.GID, MetaRequest.SET_GID) | bit(changes, AttributeChanges.SIZE, MetaRequest.SET_BYTES)
        | (changes.has(AttributeChanges.SIZE) ? bit(changes, AttributeChanges.HANDLE, MetaRequest.SET_BY_HANDLE) : 0)
        | time(changes, AttributeChanges.ATIME, AttributeChanges.ATIME_NOW, MetaRequest.SET_ATIME, MetaRequest.SET_ATIME_NOW)
        | time(changes, AttributeChanges.MTIME, AttributeChanges.MTIME_NOW, MetaRequest.SET_MTIME, MetaRequest.SET_MTIME_NOW);
    MetaRequest request = request(MetaOp.SETATTR, reply, inode, mask, changes.mode() & 07777, changes.uid(), changes.gid(), changes.sizeBytes(),
        changes.atimeNs(), changes.mtimeNs());
    int unreached = changes.has(AttributeChanges.SIZE) ? files.data().reach(inode, () -> striping(inode)) : Errno.OK;
    if (unreached != Errno.OK) {
      reply.fail(unreached);
      return;
    }
    BusyFiles.answer(reply, () -> change(request, changes, reply));
  }

  private int change(MetaRequest request, AttributeChanges changes, FuseReply.Attributes reply) {
    MetaReply answer = changes.has(AttributeChanges.MTIME | AttributeChanges.MTIME_NOW) ? askForTime(request) : ask(request);
    if (answer.errno() == Errno.OK) {
      if (changes.has(AttributeChanges.SIZE)) {
        files.data().cutByManager(request.inode(), answer.attributes().striping());
      }
      reply.attributes(attributes(answer), cache.validNs(request.inode()));
    }
    return answer.errno();
  }

  /** Returns null if the manager does not answer. */
  private Striping striping(long inode) {
    MetadataCache.Known known = cache.inode(inode);
    if (known != null) {
      return known.attributes().striping();
    }
    MetaReply answer = ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, inode));
    return answer.errno() == Errno.OK ? answer.attributes().striping() : null;
  }

  /** Sets times. A concurrent close would set the time of the write: it must come before, or know of this. */
  private MetaReply askForTime(MetaRequest request) {
    synchronized (closer(request.inode())) {
      MetaReply answer = ask(request);
      OpenFiles.Writing writing = answer.errno() == Errno.OK ? open.writing(request.inode()) : null;
      if (writing != null) {
        writing.setTime();
      }
      return answer;
    }
  }

  private Object closer(long inode) {
    return closers[(int) (inode & CLOSERS - 1)];
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
    entry(request(MetaOp.SYMLINK, reply, parent).named(name).withValue(target), reply);
  }

  @Override
  public void mknod(long parent, byte[] name, int mode, int umask, int device, FuseReply.Entry reply) {
    MetaOp op = (mode & FileAttributes.TYPE_MASK) == FileAttributes.REGULAR ? MetaOp.CREATE : MetaOp.MKNOD;
    entry(request(op, reply, parent, op == MetaOp.CREATE ? mode & 07777 : mode, op == MetaOp.CREATE ? 1 : device, -1, 0, 0).named(name), reply);
  }

  @Override
  public void mkdir(long parent, byte[] name, int mode, int umask, FuseReply.Entry reply) {
    entry(request(MetaOp.MKDIR, reply, parent, mode & 07777).named(name), reply);
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
    if ((flags & ~RENAME_FLAGS) != 0) {
      reply.fail(Errno.EINVAL);
      return;
    }
    done(request(MetaOp.RENAME, reply, parent, flags).withOther(newParent).named(name).withValue(newName), reply);
  }

  @Override
  public void link(long inode, long newParent, byte[] newName, FuseReply.Entry reply) {
    entry(request(MetaOp.LINK, reply, newParent).withOther(inode).named(newName), reply);
  }

  // Open files.

  @Override
  public void open(long inode, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
    boolean executes = (flags & EXECUTES) != 0 && !mayWrite(flags);
    Caller caller = executes ? Caller.ROOT : callers.of(reply);
    BusyFiles.answer(reply, () -> open(caller, inode, flags, reply));
  }

  private int open(Caller caller, long inode, int flags, FuseReply.Open reply) {
    MetadataCache.Known before = cache.inode(inode);
    MetaReply answer = ask(MetaRequest.of(MetaOp.OPEN, caller, inode, access(flags)));
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

  @Override
  public void create(long parent, byte[] name, int mode, int umask, int flags, FuseReply.Create reply) {
    MetaRequest request = request(MetaOp.CREATE, reply, parent, mode & 07777, (flags & EXCLUSIVE) != 0 ? 1 : 0, -1, 0, 0, access(flags)).named(name);
    BusyFiles.answer(reply, () -> create(request, flags, reply));
  }

  private int create(MetaRequest request, int flags, FuseReply.Create reply) {
    MetaReply made = ask(request);
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
    int unreached = cuts ? files.data().reach(inode, () -> made.attributes().striping()) : Errno.OK;
    if (unreached != Errno.OK) {
      closeUnwritten(inode, flags);
      return unreached;
    }
    MetaReply cut = cuts ? ask(MetaRequest.of(MetaOp.SETATTR, request.caller(), inode, mask, 0, 0, 0, 0)) : made;
    if (cut.errno() != Errno.OK) {
      closeUnwritten(inode, flags);
      return cut.errno();
    }
    if (cuts) {
      files.data().cutByManager(inode, made.attributes().striping());
    }
    long handle = opened(made, flags);
    long validNs = Math.min(cache.nameValidNs(request.inode(), request.name()), cache.validNs(inode));
    reply.created(attributes(cut), 0, handle, isDirect(flags), validNs);
    return Errno.OK;
  }

  private long opened(MetaReply answer, int flags) {
    long inode = answer.attributes().inode();
    boolean isAppended = (flags & APPEND) != 0 && mayWrite(flags);
    if (isAppended) {
      files.appends().opened(inode);
    }
    LossWatch losses = mayWrite(flags) ? files.data().watch(inode) : LossWatch.NONE;
    return open.add(new OpenFiles.OpenFile(inode, answer.attributes().striping(), isAppended, losses), mayWrite(flags));
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
    int errno = file == null || file.writing() == null ? Errno.EBADF : dropsPrivilege ? dropSetIds(inode) : Errno.OK;
    boolean syncs = (flags & DATA_SYNC) != 0; // The kernel does not sync content that it does not cache.
    if (errno != Errno.OK) {
      reply.fail(errno);
    } else if (isWriteback) {
      page(file, reply, () -> content.write(file, offset, data, false, syncs, reply));
    } else {
      content.write(file, offset, data, (flags & APPEND) != 0, syncs, reply);
    }
  }

  /** Drops set-id bits of a changed file, so that it no longer runs with the rights of its owner. */
  private int dropSetIds(long inode) {
    MetadataCache.Known remembered = cache.inode(inode);
    if (remembered != null && (remembered.attributes().mode() & SET_IDS) == 0) {
      return Errno.OK;
    }
    MetaReply known = ask(MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, inode));
    if (known.errno() != Errno.OK || (known.attributes().mode() & SET_IDS) == 0) {
      return known.errno();
    }
    int mode = known.attributes().mode() & 07777;
    int kept = mode & ~04000 & ((mode & 010) != 0 ? ~02000 : ~0);
    return mode == kept ? Errno.OK : ask(MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, inode, MetaRequest.SET_MODE, kept)).errno();
  }

  @Override
  public void flush(long inode, long handle, long lockOwner, FuseReply.Done reply) {
    MountedContent.answer(locks.drop(inode, lockOwner, FileLock.POSIX), reply); // Acknowledged writes are at the daemons already.
  }

  @Override
  public void release(long inode, long handle, int flags, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
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
      files.appends().closed(inode);
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
    synchronized (closer(file.inode)) {
      boolean isLast = open.isLast(file);
      boolean hasSetTime = file.writing().hasSetTime();
      if (isLast && file.writing().isWritten()) {
        long bytes = view.length(file.inode, file.striping, MetaRequest.UNKNOWN_LENGTH);
        ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file.inode, bytes, 1, hasSetTime ? 1 : 0, MetaRequest.CLOSES_LAST,
            file.writing().lastWroteNs()));
      } else {
        closeUnheard(file.inode, ACCESS_MODE, hasSetTime, isLast);
      }
      open.left(file, () -> mapped.unbind(file)); // Only after the manager knows the length: until then requests are answered from the state here.
    }
  }

  private void closeUnwritten(long inode, int flags) {
    ask(closing(inode, flags, false, false));
  }

  /** Closes without reporting a length: later requests of this mount come behind it, and no thread waits for its answer. */
  private void closeUnheard(long inode, int flags, boolean keepsTimes, boolean isLast) {
    tell(closing(inode, flags, keepsTimes, isLast));
  }

  private void tell(MetaRequest request) {
    if (!files.meta().tryAsk(request, reply -> cache.learn(request, reply))) {
      ask(request);
    }
  }

  private static MetaRequest closing(long inode, int flags, boolean keepsTimes, boolean isLast) {
    return MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, inode, MetaRequest.NOT_WRITTEN, mayWrite(flags) ? 1 : 0, keepsTimes ? 1 : 0,
        isLast ? MetaRequest.CLOSES_LAST : 1);
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
      MetaReply answer = ask(MetaRequest.of(MetaOp.READDIR, Caller.ROOT, inode, cookie, MetaReply.VALUE_BYTES_MAX), reply);
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
    MetaReply answer = files.meta().values().write(this::ask, request(MetaOp.SETXATTR, reply, inode, flags).named(name), value);
    MountedContent.answer(answer.errno(), reply);
  }

  @Override
  public void getxattr(long inode, byte[] name, FuseReply.Value reply) {
    if (isOfSystem(name)) {
      reply.fail(Errno.ENOTSUP);
    } else {
      whole(request(MetaOp.GETXATTR, reply, inode, 0).named(name), reply);
    }
  }

  /** Whether it is an access control list, which ls -l asks for with each file: there are none, and the manager need not be asked. */
  private static boolean isOfSystem(byte[] name) {
    return Arrays.mismatch(name, SYSTEM) == SYSTEM.length;
  }

  @Override
  public void listxattr(long inode, FuseReply.Value reply) {
    whole(request(MetaOp.LISTXATTR, reply, inode, 0), reply);
  }

  private void whole(MetaRequest request, FuseReply.Value reply) {
    MetaReply answer = files.meta().values().read(this::ask, request);
    if (answer.errno() == Errno.OK) {
      reply.value(answer.value());
    } else {
      reply.fail(answer.errno());
    }
  }

  @Override
  public void removexattr(long inode, byte[] name, FuseReply.Done reply) {
    done(request(MetaOp.REMOVEXATTR, reply, inode).named(name), reply);
  }
}
