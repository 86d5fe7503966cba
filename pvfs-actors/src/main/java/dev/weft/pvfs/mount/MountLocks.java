package dev.weft.pvfs.mount;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.fuse.FuseLock;
import dev.weft.pvfs.fuse.FuseReply;
import dev.weft.pvfs.meta.LockClient;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.MetaReply;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/** flock(2) and fcntl(2) of a mount, at the manager. What nobody has locked is not unlocked there. Any thread. */
final class MountLocks {
  private record Owner(long inode, long number, int kind) {}

  /** What an owner may hold, and the handles that it was locked by. One for each time that something is locked: who gives all up takes back what he saw. */
  private static final class Held {
    final Set<Long> handles;

    Held(Held before, long handle) {
      Set<Long> all = new HashSet<>(before == null ? Set.of() : before.handles);
      all.add(handle);
      handles = Set.copyOf(all);
    }
  }

  private final LockClient locks;
  /** Who may hold something. Bound: open files, and owners of them that have locked something. */
  private final Map<Owner, Held> owners = new ConcurrentHashMap<>();

  MountLocks(LockClient locks) {
    this.locks = locks;
  }

  private static FileLock lock(FuseLock from, int kind, long owner) {
    int type = from.type() == FuseLock.READ ? FileLock.SHARED : from.type() == FuseLock.WRITE ? FileLock.EXCLUSIVE : FileLock.NONE;
    return kind == FileLock.FLOCK ? FileLock.whole(kind, owner, type, from.pid()) : new FileLock(kind, owner, type, from.start(), from.end(), from.pid());
  }

  void set(long inode, long handle, long owner, FuseLock wanted, boolean isFlock, boolean waits, FuseReply.Done reply) {
    FileLock lock = lock(wanted, isFlock ? FileLock.FLOCK : FileLock.POSIX, owner);
    Owner of = new Owner(inode, owner, lock.kind());
    if (lock.type() != FileLock.NONE) {
      owners.compute(of, (_, before) -> new Held(before, handle));
    }
    IntConsumer then = errno -> {
      if (errno == Errno.OK && lock.type() != FileLock.NONE) {
        owners.compute(of, (_, before) -> new Held(before, handle)); // Meanwhile it may have closed another descriptor of the file.
      }
      answer(errno, reply);
    };
    if (waits && lock.type() != FileLock.NONE) {
      LockClient.Waiting waiting = locks.await(inode, lock, then);
      reply.onInterrupt(() -> waiting.cancel(Errno.EINTR));
    } else {
      locks.lock(inode, lock, then);
    }
  }

  private static void answer(int errno, FuseReply.Done reply) {
    if (errno == Errno.OK) {
      reply.done();
    } else {
      reply.fail(errno);
    }
  }

  void test(long inode, long owner, FuseLock wanted, FuseReply.Lock reply) {
    locks.test(inode, lock(wanted, FileLock.POSIX, owner), answer -> tell(answer, reply));
  }

  private static void tell(MetaReply answer, FuseReply.Lock reply) {
    if (answer.errno() != Errno.OK) {
      reply.fail(answer.errno());
    } else if (answer.number() == 0) {
      reply.free();
    } else {
      FileLock held = FileLock.decode(answer.value());
      reply.held(new FuseLock(held.type() == FileLock.EXCLUSIVE ? FuseLock.WRITE : FuseLock.READ, held.start(), held.end(), held.pid()));
    }
  }

  /** An owner gives up all that it has of a file; the answer of the manager, or OK where it had nothing. */
  int drop(long inode, long owner, int kind) {
    Owner of = new Owner(inode, owner, kind);
    Held before = owners.get(of);
    if (before == null) {
      return Errno.OK;
    }
    int errno = locks.lock(inode, FileLock.whole(kind, owner, FileLock.NONE, 0));
    if (errno == Errno.OK || errno == Errno.ENOLCK) { // It has lost it, which it is told once.
      owners.remove(of, before); // Not what was locked since. Otherwise the next close tries again.
    }
    return errno;
  }

  /**
   * A handle is released. Locks of fcntl(2) of a process went when it closed the first of its descriptors; what is left by this handle is of the open file
   * itself (F_OFD_SETLK), whose owner no close names.
   */
  void dropOf(long handle) {
    if (owners.isEmpty()) {
      return;
    }
    owners.forEach((of, held) -> {
      if (of.kind() == FileLock.POSIX && held.handles.contains(handle)) {
        drop(of.inode(), of.number(), FileLock.POSIX);
      }
    });
  }
}
