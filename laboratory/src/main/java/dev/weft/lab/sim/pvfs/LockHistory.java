package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Who has locked what, as far as the programs know: from when a lock was answered to when it is asked to be given back, or its client dies. What one has
 * locked for itself nobody else has. A lock that was asked for before a manager started which has waited for its clients long enough may be lost, which its
 * owner need not know yet; it excludes nobody.
 */
final class LockHistory {
  /** A file is locked in so many pieces. */
  static final int PIECES = 8;

  private static final int NONE = 0;
  private static final int SHARED = 1;
  private static final int EXCLUSIVE = 2;

  /** The locks of one kind of one file. */
  record Place(long inode, int kind) {}

  private static final class Held {
    private final int[] types = new int[PIECES];
    private final long[] askedNs = new long[PIECES];
  }

  private final LongSupplier nowNs;
  private final Violations violations;
  private final long graceNs;
  private final Map<Place, Map<String, Held>> places = new LinkedHashMap<>();
  private final List<Long> managerStartsNs = new ArrayList<>();

  /** @param graceNs how long a manager waits for clients of the one before */
  LockHistory(LongSupplier nowNs, Violations violations, long graceNs) {
    this.nowNs = nowNs;
    this.violations = violations;
    this.graceNs = graceNs;
  }

  void managerStarted() {
    managerStartsNs.add(nowNs.getAsLong());
  }

  private Held of(Place place, String owner) {
    return places.computeIfAbsent(place, _ -> new LinkedHashMap<>()).computeIfAbsent(owner, _ -> new Held());
  }

  /** Somebody asks for a lock: what that gives up may be gone from now on. */
  void asks(Place place, String owner, int from, int to, boolean isExclusive) {
    Held held = of(place, owner);
    for (int piece = from; piece <= to; piece++) {
      boolean isOther = held.types[piece] != (isExclusive ? EXCLUSIVE : SHARED);
      if (place.kind == LockSteps.FLOCK && isOther) {
        held.types[piece] = NONE; // Another type of flock(2) is another lock.
      } else if (!isExclusive && isOther) {
        held.types[piece] = Math.min(held.types[piece], SHARED);
      }
    }
  }

  /** Somebody gives back, or has been told that it has lost, what it has of some pieces. */
  void givesBack(Place place, String owner, int from, int to) {
    Held held = of(place, owner);
    for (int piece = from; piece <= to; piece++) {
      held.types[piece] = NONE;
    }
  }

  /** Somebody was told that it has what it asked for at {@code askedNs}. */
  void granted(Place place, String owner, int from, int to, boolean isExclusive, long askedNs) {
    places.getOrDefault(place, Map.of()).forEach((other, held) -> {
      for (int piece = from; piece <= to && !other.equals(owner); piece++) {
        boolean excludes = held.types[piece] == EXCLUSIVE || isExclusive && held.types[piece] == SHARED;
        if (excludes && isSure(held.askedNs[piece])) {
          violations.add(owner + " has got piece " + piece + " of file " + place.inode + (isExclusive ? " for itself" : " with others")
              + ", which " + other + " has" + (held.types[piece] == EXCLUSIVE ? " for itself" : " with others") + "; locks of kind " + place.kind);
        }
      }
    });
    Held own = of(place, owner);
    for (int piece = from; piece <= to; piece++) {
      own.types[piece] = isExclusive ? EXCLUSIVE : SHARED;
      own.askedNs[piece] = askedNs;
    }
  }

  private boolean isSure(long askedNs) {
    long now = nowNs.getAsLong();
    return managerStartsNs.stream().noneMatch(start -> start >= askedNs && now >= start + graceNs);
  }

  /** Whether somebody may have lost locks without having been told. */
  boolean mayHaveLost() {
    long now = nowNs.getAsLong();
    return managerStartsNs.stream().skip(1).anyMatch(start -> now >= start + graceNs);
  }

  /** All that programs whose names begin so have is gone: their client has died, or was told that nothing is left. */
  void gone(String client) {
    places.values().forEach(owners -> owners.keySet().removeIf(owner -> owner.startsWith(client)));
  }
}
