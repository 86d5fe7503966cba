package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.store.MetadataStore;
import dev.weft.pvfs.wire.Capability;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Which sessions have which inodes open. This is in memory: clients report it to a restarted manager. But an inode without a name exists only because
 * it is open, so the store records who holds it.
 */
final class Opens {
  /** Holds inodes that lose their last name while a restarted manager does not know the open files yet. */
  static final long RECOVERY = 0;
  /** Inodes that one call ends for a session. */
  static final int END_MAX = 1024;

  private static final int PAGE = 256;
  private static final int WRITES = Capability.WRITE | Capability.APPEND | Capability.TRUNCATE | Capability.MAPPED;

  /** How often a session has an inode open, and with what access in total. */
  record Held(int count, int access) {
    /** Null after the last close. */
    Held closedOnce() {
      return count == 1 ? null : new Held(count - 1, access);
    }
  }

  private final Transaction transaction;
  private final Inodes inodes;
  private final int max;
  private final Map<Long, TreeMap<Long, Held>> byInode = new HashMap<>();
  private final TreeMap<Long, TreeSet<Long>> bySession = new TreeMap<>();
  private int size;
  private boolean recovering;

  Opens(Transaction transaction, Inodes inodes, int max) {
    this.transaction = transaction;
    this.inodes = inodes;
    this.max = max;
    recovering = !transaction.isFresh();
    load();
  }

  private void load() {
    byte[] from = Keys.ORPHANS;
    List<MetadataStore.Entry> page;
    do {
      page = transaction.scan(Keys.ORPHANS, from, PAGE);
      for (MetadataStore.Entry entry : page) {
        long inode = Keys.number(entry.key());
        Values.orphan(inode, entry.value()).forEach((session, held) -> put(inode, session, held));
        from = Keys.after(entry.key());
      }
    } while (page.size() == PAGE);
  }

  boolean isRecovering() {
    return recovering;
  }

  void endRecovery() {
    if (recovering) {
      recovering = false;
      transaction.onUndo(() -> recovering = true);
    }
  }

  /** EBUSY if one session has the file mapped for writing and another one could write it. */
  void open(long session, Inode inode, int access) {
    if ((access & WRITES) != 0) {
      requireUnmapped(session, inode.number());
    }
    Refusal.unless((access & Capability.MAPPED) == 0 || !isElsewhere(session, inode.number(), WRITES), Errno.EBUSY);
    Held before = held(inode.number(), session);
    Refusal.unless(before != null || size < max, Errno.ENFILE);
    hold(inode.number(), session, before == null ? new Held(1, access) : new Held(before.count() + 1, before.access() | access));
  }

  /** EBUSY if another session has the file mapped for writing. */
  void requireUnmapped(long session, long inode) {
    Refusal.unless(!isElsewhere(session, inode, Capability.MAPPED), Errno.EBUSY);
  }

  private boolean isElsewhere(long session, long inode, int access) {
    TreeMap<Long, Held> sessions = byInode.get(inode);
    return sessions != null && sessions.entrySet().stream().anyMatch(each -> each.getKey() != session && (each.getValue().access() & access) != 0);
  }

  /** Call before a session closes a file that it had mapped. */
  void unmapped(long session, long inode) {
    Held held = held(inode, session);
    if (held != null) {
      put(inode, session, new Held(held.count(), held.access() & ~Capability.MAPPED));
    }
  }

  /** A session reports what it had open: this replaces the record. */
  void reclaim(long session, Inode inode, Held held) {
    Refusal.unless(held(inode.number(), session) != null || size < max, Errno.ENFILE);
    hold(inode.number(), session, held);
  }

  /** Takes over the open files from the previous use of the same store. */
  void takeOver(Opens before) {
    recovering = before.recovering;
    before.byInode.forEach((inode, sessions) -> {
      if (transaction.get(Keys.inode(inode)) != null) {
        sessions.forEach((session, held) -> put(inode, session, held));
      }
    });
  }

  /** EBADF if the session does not have it open. */
  void close(long session, long inode) {
    Held before = held(inode, session);
    Refusal.unless(before != null, Errno.EBADF);
    hold(inode, session, before.closedOnce());
  }

  /**
   * Closes without undo, if the store need not record it and no operation that may be undone concerns the inode.
   *
   * @return false if that is not possible; nothing was done then
   */
  boolean closeForGood(long session, long inode) {
    Held before = held(inode, session);
    if (before == null || transaction.mayUndo(inode) || transaction.get(Keys.orphan(inode)) != null) {
      return false;
    }
    put(inode, session, before.closedOnce());
    return true;
  }

  /** Closes a session's open files, at most {@link #END_MAX} inodes; returns true if that was all. */
  boolean end(long session) {
    List<Long> open = new ArrayList<>(bySession.getOrDefault(session, new TreeSet<>()));
    open.stream().limit(END_MAX).forEach(inode -> hold(inode, session, null));
    return open.size() <= END_MAX;
  }

  List<Long> sessions() {
    return List.copyOf(bySession.tailMap(RECOVERY, false).keySet());
  }

  int size() {
    return size;
  }

  boolean isOpen(long inode, long session) {
    return held(inode, session) != null;
  }

  int accessOf(long inode, long session) {
    Held held = held(inode, session);
    return held == null ? 0 : held.access();
  }

  boolean isOpenFor(long inode, long session, int access) {
    Held held = held(inode, session);
    return held != null && (held.access() & access) != 0;
  }

  private Held held(long inode, long session) {
    TreeMap<Long, Held> sessions = byInode.get(inode);
    return sessions == null ? null : sessions.get(session);
  }

  /** An inode has lost its last name: removes it, unless it is open. */
  void unnamed(Inode inode) {
    if (recovering) {
      put(inode.number(), RECOVERY, new Held(1, 0));
      transaction.onUndo(() -> put(inode.number(), RECOVERY, null));
    }
    SortedMap<Long, Held> sessions = byInode.get(inode.number());
    if (sessions == null) {
      inodes.remove(inode);
    } else {
      transaction.put(Keys.orphan(inode.number()), Values.orphan(sessions));
      transaction.superBlock(transaction.superBlock().orphans(1));
    }
  }

  private void hold(long inode, long session, Held held) {
    Held before = put(inode, session, held);
    transaction.onUndo(inode, () -> put(inode, session, before));
    if (transaction.get(Keys.orphan(inode)) == null) {
      return;
    }
    SortedMap<Long, Held> left = byInode.get(inode);
    if (left != null) {
      transaction.put(Keys.orphan(inode), Values.orphan(left));
    } else {
      transaction.delete(Keys.orphan(inode));
      transaction.superBlock(transaction.superBlock().orphans(-1));
      inodes.remove(inodes.get(inode));
    }
  }

  /** Returns the previous value; null means nothing. */
  private Held put(long inode, long session, Held held) {
    TreeMap<Long, Held> sessions = byInode.computeIfAbsent(inode, number -> new TreeMap<>());
    TreeSet<Long> ofSession = bySession.computeIfAbsent(session, number -> new TreeSet<>());
    Held before = held == null ? sessions.remove(session) : sessions.put(session, held);
    if (held == null) {
      ofSession.remove(inode);
    } else {
      ofSession.add(inode);
    }
    size += (held == null ? 0 : 1) - (before == null ? 0 : 1);
    if (sessions.isEmpty()) {
      byInode.remove(inode);
    }
    if (ofSession.isEmpty()) {
      bySession.remove(session);
    }
    return before;
  }
}
