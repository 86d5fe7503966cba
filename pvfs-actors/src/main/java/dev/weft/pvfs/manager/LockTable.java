package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.FileLock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * File locks of all clients. Each owner belongs to a session; when the session ends, its locks and waiting locks go. A waiting lock holds no thread:
 * an event reports the grant. Bound: {@code perSessionMax} ranges held and awaited by each session. One thread.
 */
final class LockTable {
  /** Receives grants of waiting locks, and locks that others wait for. */
  interface Listener {
    void granted(long session, long ticket);

    /** A session holds an {@link FileLock#APPEND} lock that another session waits for. */
    void wanted(long session, long inode);
  }

  /** Locks of one kind on one file. */
  record Place(long inode, int kind) {}

  private record Owner(long session, long number) {}

  private record Held(Owner owner, FileLock lock) {}

  private record Waiter(Place place, Owner owner, FileLock lock, long ticket) {}

  private record Ticket(long session, long number) {}

  private final int perSessionMax;
  private final Listener listener;
  private final Map<Place, List<Held>> held = new HashMap<>();
  private final Map<Place, List<Waiter>> waiting = new HashMap<>();
  /** In order of arrival. */
  private final Map<Ticket, Waiter> tickets = new LinkedHashMap<>();
  private final Map<Long, Integer> counts = new HashMap<>();
  /** No new lock is granted: a client may have held it at the previous manager and may still claim it. */
  private boolean isGrace;

  LockTable(int perSessionMax, Listener listener) {
    this.perSessionMax = perSessionMax;
    this.listener = listener;
  }

  /**
   * Locks or unlocks.
   *
   * @param ticket under which a waiting lock is granted later; 0 does not wait
   * @return OK; EAGAIN if another lock conflicts; EINPROGRESS if the lock waits; EDEADLK if it would wait for ever; ENOLCK if the maximum number is
   *     reached
   */
  int lock(long session, long inode, FileLock lock, long ticket) {
    Place place = new Place(inode, lock.kind());
    Owner owner = new Owner(session, lock.owner());
    if (lock.type() != FileLock.NONE && counts.getOrDefault(session, 0) >= perSessionMax) {
      return Errno.ENOLCK;
    }
    if (lock.type() == FileLock.NONE || has(place, owner, lock) || isFree(place, owner, lock)) {
      replace(place, owner, lock);
      grant(place);
      return Errno.OK;
    }
    if (lock.kind() == FileLock.FLOCK) {
      replace(place, owner, lock.of(FileLock.NONE)); // A change of an flock(2) lock's type gives up the old lock first.
      grant(place);
      if (isFree(place, owner, lock)) {
        replace(place, owner, lock);
        return Errno.OK;
      }
    }
    return ticket == 0 ? Errno.EAGAIN : begin(new Waiter(place, owner, lock, ticket));
  }

  private boolean isFree(Place place, Owner owner, FileLock lock) {
    return !isGrace && conflict(place, owner, lock) == null;
  }

  /** Whether the owner already holds at least this lock. */
  private boolean has(Place place, Owner owner, FileLock lock) {
    return held.getOrDefault(place, List.of()).stream().anyMatch(one -> one.owner().equals(owner) && one.lock().type() == lock.type()
        && one.lock().start() <= lock.start() && one.lock().end() >= lock.end());
  }

  /** From now on only {@link #claim} gives locks; other requests wait. */
  void beginGrace() {
    isGrace = true;
  }

  boolean isGrace() {
    return isGrace;
  }

  /** Grants unclaimed locks to the waiting requests. */
  void endGrace() {
    isGrace = false;
    List.copyOf(waiting.keySet()).forEach(this::grant);
  }

  /** Claims a lock that the session held at the previous manager; returns false if another lock conflicts or the maximum number is reached. */
  boolean claim(long session, long inode, FileLock lock) {
    Place place = new Place(inode, lock.kind());
    Owner owner = new Owner(session, lock.owner());
    if (lock.type() == FileLock.NONE || conflict(place, owner, lock) != null || counts.getOrDefault(session, 0) >= perSessionMax) {
      return false;
    }
    replace(place, owner, lock);
    return true;
  }

  private int begin(Waiter waiter) {
    if (waiter.lock().kind() == FileLock.POSIX && waitsFor(waiter, waiter.owner(), new HashSet<>())) {
      return Errno.EDEADLK;
    }
    waiting.computeIfAbsent(waiter.place(), _ -> new ArrayList<>()).add(waiter);
    tickets.put(new Ticket(waiter.owner().session(), waiter.ticket()), waiter);
    count(waiter.owner().session(), 1);
    want(waiter);
    return Errno.EINPROGRESS;
  }

  private void want(Waiter waiter) {
    if (waiter.lock().kind() == FileLock.APPEND) {
      held.getOrDefault(waiter.place(), List.of()).stream().filter(one -> isInTheWay(one, waiter.owner(), waiter.lock()))
          .forEach(one -> listener.wanted(one.owner().session(), waiter.place().inode()));
    }
  }

  /** Returns the first conflicting lock; null if there is none. */
  FileLock conflict(long session, long inode, FileLock lock) {
    Held found = conflict(new Place(inode, lock.kind()), new Owner(session, lock.owner()), lock);
    return found == null ? null : found.lock();
  }

  private Held conflict(Place place, Owner owner, FileLock lock) {
    for (Held one : held.getOrDefault(place, List.of())) {
      if (isInTheWay(one, owner, lock)) {
        return one;
      }
    }
    return null;
  }

  private static boolean isInTheWay(Held one, Owner owner, FileLock lock) {
    return !one.owner().equals(owner) && one.lock().excludes(lock);
  }

  /** Whether an owner of a conflicting lock waits, directly or through others, for {@code whom}. */
  private boolean waitsFor(Waiter waiter, Owner whom, Set<Owner> seen) {
    for (Held one : held.getOrDefault(waiter.place(), List.of())) {
      if (isInTheWay(one, waiter.owner(), waiter.lock()) && (one.owner().equals(whom) || seen.add(one.owner()) && isBehind(one.owner(), whom, seen))) {
        return true;
      }
    }
    return false;
  }

  private boolean isBehind(Owner holder, Owner whom, Set<Owner> seen) {
    for (Waiter other : tickets.values()) {
      if (other.lock().kind() == FileLock.POSIX && other.owner().equals(holder) && waitsFor(other, whom, seen)) {
        return true;
      }
    }
    return false;
  }

  /** Cancels a waiting lock; returns false if it does not wait (any more). */
  boolean cancel(long session, long ticket) {
    Waiter waiter = tickets.remove(new Ticket(session, ticket));
    if (waiter != null) {
      leave(waiter);
    }
    return waiter != null;
  }

  private void leave(Waiter waiter) {
    List<Waiter> others = waiting.get(waiter.place());
    others.remove(waiter);
    if (others.isEmpty()) {
      waiting.remove(waiter.place());
    }
    count(waiter.owner().session(), -1);
  }

  /** Removes all locks and waiting locks of a session. */
  void endSession(long session) {
    tickets.values().stream().filter(waiter -> waiter.owner().session() == session).toList()
        .forEach(waiter -> cancel(session, waiter.ticket()));
    if (counts.containsKey(session)) {
      List<Place> places = held.entrySet().stream().filter(one -> one.getValue().stream().anyMatch(lock -> lock.owner().session() == session))
          .map(Map.Entry::getKey).toList();
      for (Place place : places) {
        put(place, held.get(place).stream().filter(lock -> lock.owner().session() != session).toList());
        grant(place);
      }
      counts.remove(session);
    }
  }

  private void replace(Place place, Owner owner, FileLock lock) {
    List<Held> before = held.getOrDefault(place, List.of());
    List<Held> next = new ArrayList<>(before.stream().filter(one -> !one.owner().equals(owner)).toList());
    List<FileLock> own = before.stream().filter(one -> one.owner().equals(owner)).map(Held::lock).toList();
    FileLock.replace(own, lock).forEach(one -> next.add(new Held(owner, one)));
    put(place, next);
    count(owner.session(), next.size() - before.size());
  }

  private void put(Place place, List<Held> locks) {
    if (locks.isEmpty()) {
      held.remove(place);
    } else {
      held.put(place, locks);
    }
  }

  private void count(long session, int change) {
    if (change != 0) {
      counts.merge(session, change, (before, more) -> before + more == 0 ? null : before + more);
    }
  }

  /** Grants locks that are free now to waiting requests, in their order. */
  private void grant(Place place) {
    for (Waiter waiter : List.copyOf(waiting.getOrDefault(place, List.of()))) {
      if (isFree(place, waiter.owner(), waiter.lock())) {
        tickets.remove(new Ticket(waiter.owner().session(), waiter.ticket()));
        leave(waiter);
        replace(place, waiter.owner(), waiter.lock());
        listener.granted(waiter.owner().session(), waiter.ticket());
      } else {
        want(waiter);
      }
    }
  }

  int heldCount() {
    return held.values().stream().mapToInt(List::size).sum();
  }

  int waitingCount() {
    return tickets.size();
  }

  /** For tests: visits each held lock with its session. */
  void forEach(BiConsumer<Long, FileLock> to) {
    held.values().forEach(locks -> locks.forEach(one -> to.accept(one.owner().session(), one.lock())));
  }
}
