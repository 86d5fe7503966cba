package dev.weft.pvfs.manager;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which sessions remember which inodes. Who changes one is answered when all others have been told and have forgotten it, or their time is over. Bound:
 * {@code perSessionMax} inodes of each session; one that is full is told to forget all. One thread.
 */
final class Leases {
  /** Tells sessions. */
  interface Teller {
    /** The number of the event. */
    long changed(long session, long inode);

    long allChanged(long session);
  }

  /** Who has to forget before somebody is answered. */
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

  /** In place of the number of an event: it has not been told. */
  private static final long HELD = 0;
  /** In place of a session: those of the manager before, which may remember anything. */
  private static final long FORMER = 0;

  private final int perSessionMax;
  private final Teller teller;
  /** By inode and session: the number of the event that takes it back. */
  private final Map<Long, Map<Long, Long>> holders = new HashMap<>();
  private final Map<Long, Integer> counts = new HashMap<>();
  private final Map<Long, ArrayDeque<Revoked>> revoked = new HashMap<>();
  /** Sessions that are to forget all, by the event that says so. */
  private final Map<Long, Long> full = new HashMap<>();
  private final List<Fence> fences = new ArrayList<>();
  private boolean awaitsFormer;

  Leases(int perSessionMax, Teller teller) {
    this.perSessionMax = perSessionMax;
    this.teller = teller;
  }

  /** Whether the session may remember the inode from now on. */
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

  /** A session has removed an inode, whose number is used for no other one: that it may remember it means nothing any more. */
  void gone(long session, long inode) {
    Map<Long, Long> of = holders.get(inode);
    if (of != null && of.getOrDefault(session, -1L) == HELD) {
      remove(session, inode);
    }
  }

  /**
   * Inodes have changed.
   *
   * @param changer who knows it already
   * @param then called when all others have forgotten them
   * @return false if there is nobody to wait for; {@code then} is not called
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

  /** Until {@link #endFormer}, who changes something waits for sessions that this knows nothing of. */
  void beginFormer() {
    awaitsFormer = true;
  }

  /** They have come back, and have forgotten all; or their time is over. */
  void endFormer() {
    awaitsFormer = false;
    pass(FORMER, Long.MAX_VALUE);
  }

  /** A session has done what events up to a number ask. */
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

  /** It remembers nothing any more: it is gone, or its time is over. */
  void end(long session) {
    forget(session);
    pass(session, Long.MAX_VALUE);
  }

  /** Whether somebody waits for it. */
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
