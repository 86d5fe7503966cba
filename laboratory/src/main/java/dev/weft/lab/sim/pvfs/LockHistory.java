package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.Violations;
import dev.weft.pvfs.wire.FileLock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The locks of all programs as they know them: from the answer to a lock request until the request to unlock, or the death of the client. An
 * exclusive lock excludes all others. A lock that was requested before a manager start may be lost when that manager has stopped waiting for its
 * clients; its owner need not know that yet, and such a lock excludes no other.
 */
final class LockHistory {
  /** Number of pieces in which a file is locked. */
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

  /** @param graceNs how long a manager waits for clients of the previous one */
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

  /** An owner requests a lock: locks that this replaces may be gone from now on. */
  void asks(Place place, String owner, int from, int to, boolean isExclusive) {
    Held held = of(place, owner);
    for (int piece = from; piece <= to; piece++) {
      boolean isOther = held.types[piece] != (isExclusive ? EXCLUSIVE : SHARED);
      if (place.kind == FileLock.FLOCK && isOther) {
        held.types[piece] = NONE; // For flock(2), a change of the type first gives up the old lock.
      } else if (!isExclusive && isOther) {
        held.types[piece] = Math.min(held.types[piece], SHARED);
      }
    }
  }

  /** An owner unlocks some pieces, or has learned that it has lost them. */
  void givesBack(Place place, String owner, int from, int to) {
    Held held = of(place, owner);
    for (int piece = from; piece <= to; piece++) {
      held.types[piece] = NONE;
    }
  }

  /** An owner learned that it has the lock that it requested at {@code askedNs}. */
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

  /** Whether owners may have lost locks without knowing it. */
  boolean mayHaveLost() {
    long now = nowNs.getAsLong();
    return managerStartsNs.stream().skip(1).anyMatch(start -> now >= start + graceNs);
  }

  /** Removes the locks of all owners with this prefix: their client has died, or has learned that it has none left. */
  void gone(String client) {
    places.values().forEach(owners -> owners.keySet().removeIf(owner -> owner.startsWith(client)));
  }
}
