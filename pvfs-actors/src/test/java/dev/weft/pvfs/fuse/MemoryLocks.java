package dev.weft.pvfs.fuse;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Locks of all files of a {@link MemoryFileSystem}: of ranges, and of whole files, which do not see each other. Any thread. */
final class MemoryLocks {
  private static final int EINTR = 4;
  private static final int EAGAIN = 11;
  private static final int EDEADLK = 35;

  /** The locks of one kind of one file. */
  private record Table(long inode, boolean isFlock) {}

  private record Held(long owner, FuseLock lock) {}

  private record Waiter(Table table, long owner, FuseLock lock, FuseReply.Done reply) {}

  private final Map<Table, List<Held>> held = new HashMap<>();
  private final List<Waiter> waiters = new ArrayList<>();

  /** The first in the way; null if there is none. */
  synchronized FuseLock conflict(long inode, boolean isFlock, long owner, FuseLock lock) {
    return held.getOrDefault(new Table(inode, isFlock), List.of()).stream().filter(other -> conflicts(other, owner, lock)).map(Held::lock).findFirst()
        .orElse(null);
  }

  private static boolean conflicts(Held other, long owner, FuseLock lock) {
    return other.owner() != owner && (lock.type() == FuseLock.WRITE || other.lock().type() == FuseLock.WRITE) && lock.type() != FuseLock.UNLOCK
        && lock.start() <= other.lock().end() && other.lock().start() <= lock.end();
  }

  synchronized void set(long inode, boolean isFlock, long owner, FuseLock lock, boolean waits, FuseReply.Done reply) {
    Table table = new Table(inode, isFlock);
    if (conflict(inode, isFlock, owner, lock) == null) {
      replace(table, owner, lock);
      reply.done();
      grant();
    } else if (!waits) {
      reply.fail(EAGAIN);
    } else if (!isFlock && waitsFor(table, owner, lock, owner, new HashSet<>())) {
      reply.fail(EDEADLK);
    } else {
      Waiter waiter = new Waiter(table, owner, lock, reply);
      waiters.add(waiter);
      reply.onInterrupt(() -> giveUp(waiter));
    }
  }

  private synchronized void giveUp(Waiter waiter) {
    if (waiters.remove(waiter)) {
      waiter.reply().fail(EINTR);
    }
  }

  /** Whether who holds what is wanted waits, over however many, for {@code whom}. */
  private boolean waitsFor(Table table, long owner, FuseLock lock, long whom, Set<Long> seen) {
    for (Held other : held.getOrDefault(table, List.of())) {
      if (conflicts(other, owner, lock)) {
        if (other.owner() == whom) {
          return true;
        }
        for (Waiter waiter : waiters) {
          if (waiter.owner() == other.owner() && seen.add(other.owner()) && holds(waiter, whom, seen)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean holds(Waiter waiter, long whom, Set<Long> seen) {
    return waitsFor(waiter.table(), waiter.owner(), waiter.lock(), whom, seen);
  }

  private void replace(Table table, long owner, FuseLock lock) {
    List<Held> next = new ArrayList<>();
    for (Held other : held.getOrDefault(table, List.of())) {
      if (other.owner() != owner || other.lock().end() < lock.start() || other.lock().start() > lock.end()) {
        next.add(other);
      } else {
        if (other.lock().start() < lock.start()) {
          next.add(new Held(owner, part(other.lock(), other.lock().start(), lock.start() - 1)));
        }
        if (other.lock().end() > lock.end()) {
          next.add(new Held(owner, part(other.lock(), lock.end() + 1, other.lock().end())));
        }
      }
    }
    if (lock.type() != FuseLock.UNLOCK) {
      next.add(new Held(owner, lock));
    }
    if (next.isEmpty()) {
      held.remove(table);
    } else {
      held.put(table, next);
    }
  }

  private static FuseLock part(FuseLock lock, long start, long end) {
    return new FuseLock(lock.type(), start, end, lock.pid());
  }

  private void grant() {
    for (Waiter waiter : List.copyOf(waiters)) {
      if (conflict(waiter.table().inode(), waiter.table().isFlock(), waiter.owner(), waiter.lock()) == null) {
        waiters.remove(waiter);
        replace(waiter.table(), waiter.owner(), waiter.lock());
        waiter.reply().done();
      }
    }
  }

  /** Everything that an owner has of a file. */
  synchronized void drop(long inode, boolean isFlock, long owner) {
    replace(new Table(inode, isFlock), owner, new FuseLock(FuseLock.UNLOCK, 0, Long.MAX_VALUE, 0));
    grant();
  }

  synchronized int heldCount() {
    return held.values().stream().mapToInt(List::size).sum();
  }

  synchronized int waiterCount() {
    return waiters.size();
  }
}
