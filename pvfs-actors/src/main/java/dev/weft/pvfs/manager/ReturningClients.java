package dev.weft.pvfs.manager;

import java.util.HashSet;
import java.util.Set;

/** Clients of the previous manager that may still hold locks. Each leaves the set when it has claimed its locks. One thread. */
final class ReturningClients {
  private final Set<Long> missing;
  private long claimed;
  private long refused;

  ReturningClients(Set<Long> former) {
    missing = new HashSet<>(former);
  }

  boolean isAwaited() {
    return !missing.isEmpty();
  }

  /** Whether a session may still make claims: it may have held what it claims without a break. */
  boolean isAwaited(long session) {
    return missing.contains(session);
  }

  /** The session has claimed all its locks, or has ended. Returns true if it was the last. */
  boolean remove(long session) {
    return missing.remove(session) && missing.isEmpty();
  }

  /** The time for claims is over. Returns true if a client was missing. */
  boolean end() {
    boolean was = isAwaited();
    missing.clear();
    return was;
  }

  /** Counts a claim and returns its answer. */
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
