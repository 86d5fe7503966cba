package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Violations;
import java.util.HashSet;
import java.util.Set;

/** The receives of one queue, shared or not: each posted receive is consumed once, or still there at the end. */
final class ReceiveLedger {
  private final String queue;
  private final Violations violations;
  private final Set<Long> posted = new HashSet<>();
  private long consumedCount;

  ReceiveLedger(String queue, Violations violations) {
    this.queue = queue;
    this.violations = violations;
  }

  /** A receive was posted; waiting receives have different ids. */
  void posted(long id) {
    if (!posted.add(id)) {
      throw new IllegalArgumentException("receive " + id + " is posted already");
    }
  }

  /** A completion names that receive; returns false, and adds a violation, if that is impossible. */
  boolean consumed(long id) {
    boolean waited = posted.remove(id);
    if (!waited) {
      violations.add(queue + ": receive " + id + " completed although it was not posted, or had completed");
    }
    consumedCount++;
    return waited;
  }

  int waiting() {
    return posted.size();
  }

  /** Checks at the end that the queue holds the posted receives that were not consumed. */
  void check(int queueSize) {
    if (queueSize != posted.size()) {
      violations.add(queue + ": " + consumedCount + " receives were consumed and " + posted.size() + " are left, but the queue holds "
          + queueSize);
    }
  }
}
