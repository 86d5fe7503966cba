package dev.weft.lab.sim.pager;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The reads and writes of one sector, and the search for an order that explains them: an order that keeps real time, in which each read returns the
 * value of the write before it. A failed write may have happened before its failure, or not at all.
 */
final class SectorHistory {
  /** A moment that never comes. */
  static final long NEVER = Long.MAX_VALUE;
  /** Limit of open possibilities; beyond it the sector is undecided. */
  private static final int CONFIGURATIONS_MAX = 50_000;
  private static final int PENDING_MAX = 62;

  /** One access. Moments are positions in the order of the device's events. */
  static final class Access {
    final long op;
    final boolean isWrite;
    final long value;
    final long begin;
    long end = NEVER;
    boolean mayBeVoid;
    private int slot = -1;

    Access(long op, boolean isWrite, long value, long begin) {
      this.op = op;
      this.isWrite = isWrite;
      this.value = value;
      this.begin = begin;
    }

    @Override
    public String toString() {
      return (isWrite ? "write" : "read") + " of " + value + " by request " + op;
    }
  }

  /** A possibility: the value of the sector, and the running accesses that have taken effect. */
  private record Configuration(long value, long done) {}

  private record Moment(long at, Access access, boolean begins) {}

  private final List<Access> accesses = new ArrayList<>();
  private final Access[] pending = new Access[PENDING_MAX];
  private Set<Configuration> possible = new LinkedHashSet<>();
  private boolean undecided;

  void add(Access access) {
    accesses.add(access);
  }

  void remove(Access access) {
    accesses.remove(access);
  }

  boolean isUndecided() {
    return undecided;
  }

  /** The first access that no order explains, or null. */
  Access check() {
    List<Moment> moments = new ArrayList<>();
    for (Access access : accesses) {
      moments.add(new Moment(access.begin, access, true));
      if (access.end != NEVER) {
        moments.add(new Moment(access.end, access, false));
      }
    }
    moments.sort(Comparator.comparingLong(Moment::at).thenComparing(Moment::begins, Comparator.reverseOrder()));
    possible.add(new Configuration(0, 0));
    for (Moment moment : moments) {
      if (moment.begins) {
        begin(moment.access);
      } else if (!end(moment.access)) {
        return moment.access;
      }
      if (undecided) {
        return null;
      }
    }
    return null;
  }

  private void begin(Access access) {
    for (int slot = 0; slot < PENDING_MAX; slot++) {
      if (pending[slot] == null) {
        pending[slot] = access;
        access.slot = slot;
        return;
      }
    }
    undecided = true;
  }

  /** Keeps the possibilities in which the access has taken effect, or, if it may be void, has not. Returns false if none is left. */
  private boolean end(Access access) {
    long bit = 1L << access.slot;
    Set<Configuration> next = new LinkedHashSet<>();
    Set<Configuration> seen = new LinkedHashSet<>(possible);
    ArrayDeque<Configuration> work = new ArrayDeque<>(possible);
    for (Configuration c = work.poll(); c != null; c = work.poll()) {
      boolean isDone = (c.done & bit) != 0;
      if (isDone || access.mayBeVoid) {
        next.add(new Configuration(c.value, c.done & ~bit));
      }
      if (!isDone) {
        expand(c, seen, work);
      }
      if (seen.size() > CONFIGURATIONS_MAX) {
        undecided = true;
        return true;
      }
    }
    pending[access.slot] = null;
    if (!next.isEmpty()) {
      possible = next;
    }
    return !next.isEmpty();
  }

  private void expand(Configuration c, Set<Configuration> seen, ArrayDeque<Configuration> work) {
    for (int slot = 0; slot < PENDING_MAX; slot++) {
      Access access = pending[slot];
      boolean isOpen = access != null && (c.done & 1L << slot) == 0;
      if (isOpen && (access.isWrite || access.value == c.value)) {
        Configuration then = new Configuration(access.isWrite ? access.value : c.value, c.done | 1L << slot);
        if (seen.add(then)) {
          work.add(then);
        }
        if (!access.isWrite) {
          return; // A read that is possible now excludes no possibility.
        }
      }
    }
  }

  /** Possible values of the sector at the end of {@link #check}, for the message. */
  String possibleValues() {
    return possible.stream().map(c -> Long.toString(c.value)).distinct().limit(8).toList().toString();
  }
}
