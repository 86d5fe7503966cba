package dev.weft.pvfs.manager;

import java.util.HashSet;
import java.util.Set;

/** Clients of the manager before, which may hold locks and remember something, until each has said that it has claimed what it had. One thread. */
final class Returning {
  private final Set<Long> missing;
  private long claimed;
  private long refused;

  Returning(Set<Long> former) {
    missing = new HashSet<>(former);
  }

  boolean isAwaited() {
    return !missing.isEmpty();
  }

  /** Whether what a session claims may have been its own all the time. */
  boolean isAwaited(long session) {
    return missing.contains(session);
  }

  /** It has claimed all, or is gone; true if it was the last. */
  boolean remove(long session) {
    return missing.remove(session) && missing.isEmpty();
  }

  /** Who is missing does not come back in time; true if somebody was. */
  boolean end() {
    boolean was = isAwaited();
    missing.clear();
    return was;
  }

  /** Counts a claim; what was answered. */
  boolean count(boolean isGranted) {
    claimed += isGranted ? 1 : 0;
    refused += isGranted ? 0 : 1;
    return isGranted;
  }

  long claimed() {
    return claimed;
  }

  long refused() {
    return refused;
  }
}
