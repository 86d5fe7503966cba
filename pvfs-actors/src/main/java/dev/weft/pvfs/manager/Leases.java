package dev.weft.pvfs.manager;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which sessions have cached which inodes. A change of an inode is answered when all other sessions have dropped it from their cache or their lease
 * has ended. Bound: {@code perSessionMax} inodes of each session; beyond that the session must drop its whole cache. One thread.
 */
final class Leases {
  /** Sends events to sessions. */
  interface Teller {
    /** Returns the number of the event. */
    long changed(long session, long inode);

    long allChanged(long session);
  }

  /** The sessions that an answer waits for, and the events that they must acknowledge. */
  static final class Fence {
    private final Map<Long, Long> missing = new HashMap<>();
    private final Runnable then;

    private Fence(Runnable then) {
      this.then = then;
    }

    private void wait(long session, long number) {
      missing.merge(session, number, Math::max);
    }

    private boolean done(long session, long number) {
      missing.computeIfPresent(session, (_, needed) -> needed <= number ? null : needed);
      return missing.isEmpty();
    }
  }

  private record Revoked(long number, long inode) {}

  /** In place of the number of an event: not revoked. */
  private static final long HELD = 0;
  /** In place of a session: all sessions of the previous manager, which may have cached anything. */
  private static final long FORMER = 0;

  private final int perSessionMax;
  private final Teller teller;
  /** By inode and session: the number of the event that revokes the lease. */
  private final Map<Long, Map<Long, Long>> holders = new HashMap<>();
  private final Map<Long, Integer> counts = new HashMap<>();
  private final Map<Long, ArrayDeque<Revoked>> revoked = new HashMap<>();
  /** Sessions that must drop their whole cache, with the number of that event. */
  private final Map<Long, Long> full = new HashMap<>();
  private final List<Fence> fences = new ArrayList<>();
  private boolean awaitsFormer;

  Leases(int perSessionMax, Teller teller) {
    this.perSessionMax = perSessionMax;
    this.teller = teller;
  }

  /** Returns whether the session may cache the inode from now on. */
  boolean grant(long session, long inode) {
    if (full.containsKey(session)) {
      return false;
    }
    if (counts.getOrDefault(session, 0) >= perSessionMax) {
      full.put(session, teller.allChanged(session));
      return false;
    }
    Map<Long, Long> of = holders.computeIfAbsent(inode, _ -> new HashMap<>(2));
    Long before = of.putIfAbsent(session, HELD);
    if (before == null) {
      counts.merge(session, 1, Integer::sum);
    }
    return before == null || before == HELD;
  }

  /** A session has removed an inode, whose number is never reused: its own lease no longer matters. */
  void gone(long session, long inode) {
    Map<Long, Long> of = holders.get(inode);
    if (of != null && of.getOrDefault(session, -1L) == HELD) {
      remove(session, inode);
    }
  }

  /**
   * Revokes leases of changed inodes.
   *
   * @param changer session that knows the change already
   * @param then called when all others have dropped them
   * @return false if there is nothing to wait for; {@code then} is not called
   */
  boolean revoke(long changer, Collection<Long> inodes, Runnable then) {
    Fence fence = new Fence(then);
    if (awaitsFormer && !inodes.isEmpty()) {
      fence.wait(FORMER, Long.MAX_VALUE);
    }
    for (long inode : inodes) {
      Map<Long, Long> of = holders.get(inode);
      if (of != null) {
        of.replaceAll((session, number) -> session == changer ? number : told(session, inode, number));
        of.forEach((session, number) -> {
          if (session != changer) {
            fence.wait(session, number);
          }
        });
      }
    }
    if (fence.missing.isEmpty()) {
      return false;
    }
    fences.add(fence);
    return true;
  }

  private long told(long session, long inode, long before) {
    if (before != HELD) {
      return before;
    }
    long number = teller.changed(session, inode);
    revoked.computeIfAbsent(session, _ -> new ArrayDeque<>()).add(new Revoked(number, inode));
    return number;
  }

  /** Until {@link #endFormer}, changes also wait for sessions of the previous manager, whose caches this does not know. */
  void beginFormer() {
    awaitsFormer = true;
  }

  /** Those sessions have come back with empty caches, or their time is over. */
  void endFormer() {
    awaitsFormer = false;
    pass(FORMER, Long.MAX_VALUE);
  }

  /** A session has handled all events up to a number. */
  void done(long session, long number) {
    Long all = full.get(session);
    if (all != null && all <= number) {
      forget(session);
    }
    ArrayDeque<Revoked> of = revoked.get(session);
    while (of != null && !of.isEmpty() && of.peek().number() <= number) {
      Revoked one = of.poll();
      remove(session, one.inode());
    }
    pass(session, number);
  }

  private void remove(long session, long inode) {
    Map<Long, Long> of = holders.get(inode);
    if (of != null && of.remove(session) != null) {
      counts.computeIfPresent(session, (_, count) -> count == 1 ? null : count - 1);
      if (of.isEmpty()) {
        holders.remove(inode);
      }
    }
  }

  private void pass(long session, long number) {
    List<Fence> over = fences.stream().filter(fence -> fence.missing.containsKey(session) && fence.done(session, number)).toList();
    fences.removeAll(over);
    over.forEach(fence -> fence.then.run());
  }

  private void forget(long session) {
    full.remove(session);
    revoked.remove(session);
    if (counts.containsKey(session)) {
      List.copyOf(holders.keySet()).forEach(inode -> remove(session, inode));
    }
  }

  /** The session has nothing cached any more: it has ended, or its lease has. */
  void end(long session) {
    forget(session);
    pass(session, Long.MAX_VALUE);
  }

  /** Whether an answer waits for the session. */
  boolean isAwaited(long session) {
    return fences.stream().anyMatch(fence -> fence.missing.containsKey(session));
  }

  boolean isIdle() {
    return fences.isEmpty();
  }

  int count() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }
}
