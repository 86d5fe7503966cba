package dev.weft.pvfs.fuse;

import static dev.weft.pvfs.Errno.EEXIST;
import static dev.weft.pvfs.Errno.EINVAL;
import static dev.weft.pvfs.Errno.EISDIR;
import static dev.weft.pvfs.Errno.ENOENT;
import static dev.weft.pvfs.Errno.ENOTDIR;
import static dev.weft.pvfs.Errno.ENOTEMPTY;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/** A file system in memory: complete and correct for one mount, so that the engine under it can be judged by programs that know file systems. */
final class MemoryFileSystem extends MemoryContents {
  private static final int O_TRUNC = 01000;
  private static final int O_EXCL = 0200;
  private static final int NO_REPLACE = 1;
  private static final int EXCHANGE = 2;

  private final AtomicLong numbers = new AtomicLong(Protocol.ROOT);
  private final MemoryLocks locks = new MemoryLocks();
  volatile FuseNotifier notifier;
  volatile boolean isDestroyed;

  MemoryFileSystem(long bytesMax) {
    super(bytesMax);
    MemoryInode root = new MemoryInode(Protocol.ROOT, MemoryInode.DIRECTORY | 0755, pool);
    root.parent = root;
    root.links = 2;
    inodes.put(Protocol.ROOT, root);
  }

  MemoryLocks locks() {
    return locks;
  }

  long freeChunks() {
    return pool.freeChunks();
  }

  int openCount() {
    return inodes.values().stream().mapToInt(inode -> inode.opens).sum();
  }

  int inodeCount() {
    return inodes.size();
  }

  /** An inode by its path, for what is changed behind the kernel's back. */
  synchronized MemoryInode find(String... names) {
    MemoryInode at = inodes.get(Protocol.ROOT);
    for (String name : names) {
      at = at.get(name);
    }
    return at;
  }

  @Override
  public void start(FuseNotifier toKernel) {
    notifier = toKernel;
  }

  @Override
  public void destroy() {
    isDestroyed = true;
  }

  @Override
  public boolean truncatesAtOpen() {
    return true;
  }

  @Override
  public boolean dropsPrivilege() {
    return true;
  }

  private MemoryInode directory(long number, FuseReply reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null && !inode.isDirectory()) {
      reply.fail(ENOTDIR);
      return null;
    }
    return inode;
  }

  private void dropIfUnused(MemoryInode inode) {
    if (inode.links == 0 && inode.lookups == 0 && inode.opens == 0 && inode.number != Protocol.ROOT) {
      inodes.remove(inode.number);
      inode.content.truncate(0);
    }
  }

  @Override
  public synchronized void lookup(long parent, byte[] name, FuseReply.Lookup reply) {
    MemoryInode directory = directory(parent, reply);
    if (directory != null) {
      MemoryInode found = directory.get(key(name));
      if (found == null) {
        reply.fail(ENOENT);
      } else {
        found.lookups++;
        reply.entry(found.attributes(), 0);
      }
    }
  }

  @Override
  public synchronized void forget(long number, long lookups) {
    MemoryInode inode = inodes.get(number);
    if (inode != null) {
      inode.lookups = Math.max(inode.lookups - lookups, 0);
      dropIfUnused(inode);
    }
  }

  @Override
  public synchronized void getattr(long number, long handle, FuseReply.Attributes reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      reply.attributes(inode.attributes());
    }
  }

  @Override
  public synchronized void setattr(long number, AttributeChanges changes, FuseReply.Attributes reply) {
    MemoryInode inode = inode(number, reply);
    if (inode == null) {
      return;
    }
    if (changes.has(AttributeChanges.SIZE)) {
      inode.content.truncate(changes.sizeBytes());
      inode.changed();
    }
    if (changes.has(AttributeChanges.UID | AttributeChanges.GID)) {
      inode.uid = changes.has(AttributeChanges.UID) ? changes.uid() : inode.uid;
      inode.gid = changes.has(AttributeChanges.GID) ? changes.gid() : inode.gid;
      if (inode.isFile()) {
        inode.dropPrivilege();
      }
    }
    if (changes.has(AttributeChanges.MODE)) {
      inode.mode = inode.mode & MemoryInode.TYPE | changes.mode() & ~MemoryInode.TYPE;
    }
    if (changes.has(AttributeChanges.DROPS_PRIVILEGE)) {
      inode.dropPrivilege();
    }
    if (changes.has(AttributeChanges.ATIME)) {
      inode.atimeNs = changes.has(AttributeChanges.ATIME_NOW) ? MemoryInode.now() : changes.atimeNs();
    }
    if (changes.has(AttributeChanges.MTIME)) {
      inode.mtimeNs = changes.has(AttributeChanges.MTIME_NOW) ? MemoryInode.now() : changes.mtimeNs();
    }
    inode.touched();
    if (changes.has(AttributeChanges.CTIME)) {
      inode.ctimeNs = changes.ctimeNs();
    }
    reply.attributes(inode.attributes());
  }

  @Override
  public synchronized void readlink(long number, FuseReply.Data reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      reply.data(MemorySegment.ofArray(inode.target));
    }
  }

  /** A new inode under a name; null if it was answered that there can be none. */
  private MemoryInode make(long parent, byte[] name, int mode, FuseReply reply) {
    MemoryInode directory = directory(parent, reply);
    if (directory == null) {
      return null;
    }
    if (directory.links == 0) {
      reply.fail(ENOENT);
      return null;
    }
    if (directory.get(key(name)) != null) {
      reply.fail(EEXIST);
      return null;
    }
    MemoryInode made = new MemoryInode(numbers.incrementAndGet(), mode, pool);
    made.uid = reply.uid();
    made.gid = reply.gid();
    if ((directory.mode & MemoryInode.SET_GROUP_ID) != 0) {
      made.gid = directory.gid;
      made.mode |= made.isDirectory() ? MemoryInode.SET_GROUP_ID : 0;
    }
    made.links = made.isDirectory() ? 2 : 1;
    made.parent = directory;
    made.lookups = 1;
    directory.links += made.isDirectory() ? 1 : 0;
    inodes.put(made.number, made);
    directory.put(key(name), made);
    return made;
  }

  @Override
  public synchronized void symlink(long parent, byte[] name, byte[] target, FuseReply.Entry reply) {
    MemoryInode made = make(parent, name, 0120777, reply);
    if (made != null) {
      made.target = target;
      reply.entry(made.attributes(), 0);
    }
  }

  @Override
  public synchronized void mknod(long parent, byte[] name, int mode, int umask, int device, FuseReply.Entry reply) {
    MemoryInode made = make(parent, name, mode, reply);
    if (made != null) {
      made.device = device;
      reply.entry(made.attributes(), 0);
    }
  }

  @Override
  public synchronized void mkdir(long parent, byte[] name, int mode, int umask, FuseReply.Entry reply) {
    MemoryInode made = make(parent, name, MemoryInode.DIRECTORY | mode, reply);
    if (made != null) {
      reply.entry(made.attributes(), 0);
    }
  }

  @Override
  public synchronized void unlink(long parent, byte[] name, FuseReply.Done reply) {
    remove(parent, name, false, reply);
  }

  @Override
  public synchronized void rmdir(long parent, byte[] name, FuseReply.Done reply) {
    remove(parent, name, true, reply);
  }

  private void remove(long parent, byte[] name, boolean isDirectory, FuseReply.Done reply) {
    MemoryInode directory = directory(parent, reply);
    if (directory == null) {
      return;
    }
    MemoryInode found = directory.get(key(name));
    if (found == null) {
      reply.fail(ENOENT);
    } else if (found.isDirectory() != isDirectory) {
      reply.fail(isDirectory ? ENOTDIR : EISDIR);
    } else if (!found.byName.isEmpty()) {
      reply.fail(ENOTEMPTY);
    } else {
      directory.remove(key(name));
      unlinked(directory, found);
      reply.done();
    }
  }

  private void unlinked(MemoryInode directory, MemoryInode inode) {
    if (inode.isDirectory()) {
      inode.links = 0;
      directory.links--;
    } else {
      inode.links--;
    }
    inode.touched();
    dropIfUnused(inode);
  }

  @Override
  public synchronized void rename(long parent, byte[] name, long newParent, byte[] newName, int flags, FuseReply.Done reply) {
    MemoryInode from = directory(parent, reply);
    MemoryInode to = from == null ? null : directory(newParent, reply);
    if (to == null) {
      return;
    }
    MemoryInode moved = from.get(key(name));
    MemoryInode there = to.get(key(newName));
    if ((flags & ~(NO_REPLACE | EXCHANGE)) != 0) {
      reply.fail(EINVAL);
    } else if (moved == null || there == null && (flags & EXCHANGE) != 0) {
      reply.fail(ENOENT);
    } else if (there != null && (flags & NO_REPLACE) != 0) {
      reply.fail(EEXIST);
    } else if ((flags & EXCHANGE) != 0) {
      from.remove(key(name));
      to.remove(key(newName));
      place(moved, from, to, key(newName));
      place(there, to, from, key(name));
      reply.done();
    } else if (there == moved) {
      reply.done();
    } else if (there != null && there.isDirectory() != moved.isDirectory()) {
      reply.fail(there.isDirectory() ? EISDIR : ENOTDIR);
    } else if (there != null && !there.byName.isEmpty()) {
      reply.fail(ENOTEMPTY);
    } else {
      if (there != null) {
        to.remove(key(newName));
        unlinked(to, there);
      }
      from.remove(key(name));
      place(moved, from, to, key(newName));
      reply.done();
    }
  }

  private static void place(MemoryInode moved, MemoryInode from, MemoryInode to, String name) {
    to.put(name, moved);
    moved.parent = to;
    moved.touched();
    if (moved.isDirectory()) {
      from.links--;
      to.links++;
    }
  }

  @Override
  public synchronized void link(long number, long newParent, byte[] newName, FuseReply.Entry reply) {
    MemoryInode inode = inode(number, reply);
    MemoryInode to = inode == null ? null : directory(newParent, reply);
    if (to == null) {
      return;
    }
    if (to.get(key(newName)) != null) {
      reply.fail(EEXIST);
    } else {
      to.put(key(newName), inode);
      inode.links++;
      inode.lookups++;
      inode.touched();
      reply.entry(inode.attributes(), 0);
    }
  }

  @Override
  public synchronized void open(long number, int flags, boolean dropsPrivilege, FuseReply.Open reply) {
    MemoryInode inode = inode(number, reply);
    if (inode != null) {
      if ((flags & O_TRUNC) != 0) {
        inode.content.truncate(0);
        inode.changed();
      }
      if (dropsPrivilege) {
        inode.dropPrivilege();
      }
      inode.opens++;
      reply.opened(number, true);
    }
  }

  @Override
  public synchronized void create(long parent, byte[] name, int mode, int umask, int flags, FuseReply.Create reply) {
    MemoryInode directory = directory(parent, reply);
    MemoryInode there = directory == null ? null : directory.get(key(name));
    if (directory == null) {
      return;
    }
    if (there != null && (flags & O_EXCL) == 0) {
      there.lookups++;
    } else {
      there = make(parent, name, mode, reply);
    }
    if (there != null) {
      there.opens++;
      reply.created(there.attributes(), 0, there.number);
    }
  }

  @Override
  public void flush(long number, long handle, long lockOwner, FuseReply.Done reply) {
    locks.drop(number, false, lockOwner);
    reply.done();
  }

  @Override
  public synchronized void release(long number, long handle, int flags, long lockOwner, boolean unlocksFlock, FuseReply.Done reply) {
    if (unlocksFlock) {
      locks.drop(number, true, lockOwner);
    }
    MemoryInode inode = inodes.get(number);
    if (inode != null) {
      inode.opens--;
      dropIfUnused(inode);
    }
    reply.done();
  }

  @Override
  public void fsync(long number, long handle, boolean isDataOnly, FuseReply.Done reply) {
    reply.done();
  }

  @Override
  public synchronized void opendir(long number, int flags, FuseReply.Open reply) {
    MemoryInode inode = directory(number, reply);
    if (inode != null) {
      inode.opens++;
      reply.opened(number, true);
    }
  }

  @Override
  public synchronized void readdir(long number, long handle, long offset, FuseReply.Directory reply) {
    MemoryInode inode = directory(number, reply);
    if (inode == null) {
      return;
    }
    boolean fits = offset >= 1 || reply.add(new byte[] {'.'}, inode.attributes(), 0, 1);
    fits = fits && (offset >= 2 || reply.add(new byte[] {'.', '.'}, inode.parent.attributes(), 0, 2));
    if (fits) {
      for (MemoryInode.Entry entry : inode.byCookie.tailMap(Math.max(offset, 2), false).values()) {
        if (!reply.add(entry.name().getBytes(StandardCharsets.ISO_8859_1), entry.inode().attributes(), 0, entry.cookie())) {
          break;
        }
        entry.inode().lookups += reply.wantsAttributes() ? 1 : 0;
      }
    }
    reply.done();
  }

  @Override
  public void releasedir(long number, long handle, FuseReply.Done reply) {
    release(number, handle, 0, 0, false, reply);
  }

  @Override
  public void fsyncdir(long number, long handle, boolean isDataOnly, FuseReply.Done reply) {
    reply.done();
  }

  @Override
  public void statfs(long number, FuseReply.Statistics reply) {
    long free = pool.freeChunks();
    reply.statistics(new FuseStatistics(ChunkPool.CHUNK_BYTES, pool.chunksMax(), free, free, 1 << 20, (1 << 20) - inodes.size(), 255));
  }

  @Override
  public void getlk(long number, long handle, long owner, FuseLock lock, FuseReply.Lock reply) {
    FuseLock other = locks.conflict(number, false, owner, lock);
    if (other == null) {
      reply.free();
    } else {
      reply.held(other);
    }
  }

  @Override
  public void setlk(long number, long handle, long owner, FuseLock lock, boolean isFlock, boolean waits, FuseReply.Done reply) {
    locks.set(number, isFlock, owner, lock, waits, reply);
  }
}
