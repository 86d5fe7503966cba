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

/** flock(2) and fcntl(2) of a mount, forwarded to the manager. Unlocks go there only if something was locked. Any thread. */
final class MountLocks {
  private record Owner(long inode, long number, int kind) {}

  /** The handles by which an owner has locked a file. Each lock makes a new object: removing all locks removes only the object that it has seen. */
  private static final class Held {
    final Set<Long> handles;

    Held(Held before, long handle) {
      Set<Long> all = new HashSet<>(before == null ? Set.of() : before.handles);
      all.add(handle);
      handles = Set.copyOf(all);
    }
  }

  private final LockClient locks;
  /** Owners that may hold locks. Bound: the open files, and their owners that have locked something. */
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
        owners.compute(of, (_, before) -> new Held(before, handle)); // Meanwhile the owner may have closed another descriptor of the file.
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

  /** Drops all locks of an owner on a file; returns the manager's answer, or OK if it had none. */
  int drop(long inode, long owner, int kind) {
    Owner of = new Owner(inode, owner, kind);
    Held before = owners.get(of);
    if (before == null) {
      return Errno.OK;
    }
    int errno = locks.lock(inode, FileLock.whole(kind, owner, FileLock.NONE, 0));
    if (errno == Errno.OK || errno == Errno.ENOLCK) { // The owner has lost the lock and gets this error once.
      owners.remove(of, before); // Keeps locks that were taken since. Otherwise the next close tries again.
    }
    return errno;
  }

  /**
   * A handle is released. The fcntl(2) locks of a process went when it closed the first of its descriptors. Remaining locks of this handle belong to
   * the open file itself (F_OFD_SETLK); no close names their owner.
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
