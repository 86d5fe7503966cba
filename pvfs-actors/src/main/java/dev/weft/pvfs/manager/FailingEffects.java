package dev.weft.pvfs.manager;

import java.util.HashMap;
import java.util.Map;

/** Effects that daemons have failed to do and repeat. Bound: the effects under way. One thread. */
final class FailingEffects {
  /** For each failing effect, since when it fails. */
  private final Map<Long, Long> sinceNs = new HashMap<>();
  private long failures;

  /** Records a failure; returns whether it is the effect's first one. */
  boolean failed(long intent, long nowNs) {
    failures++;
    return sinceNs.putIfAbsent(intent, nowNs) == null;
  }

  void ended(long intent) {
    sinceNs.remove(intent);
  }

  /** Returns the number of failures so far. */
  long failures() {
    return failures;
  }

  /** Returns how long the oldest failing effect has failed; 0 if there is none. */
  long oldestNs(long nowNs) {
    return sinceNs.values().stream().mapToLong(since -> nowNs - since).max().orElse(0);
  }
}
