package dev.weft.hca.completion;

import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The completion counters of one HCA, at most {@code completion-counters-max}. Hardware thread. */
public final class CompletionCounters {
  private final int countersMax;
  private final Set<CompCounter> existing = new LinkedHashSet<>();
  private int nextNumber = 1;

  public CompletionCounters(int countersMax) {
    this.countersMax = countersMax;
  }

  public CompCounter create() {
    if (existing.size() >= countersMax) {
      throw new VerbsException(Errno.ENOMEM,
          "the HCA holds " + countersMax + " completion counters already; raise weft.hca.completion-counters-max");
    }
    CompCounter counter = new CompCounter(this, nextNumber++);
    existing.add(counter);
    return counter;
  }

  /** Returns the counters in the order of their creation. */
  public List<HcaSnapshot.CompletionCount> snapshot() {
    return existing.stream()
        .map(c -> new HcaSnapshot.CompletionCount(c.number(), c.count(), c.errorCount(), c.useCount)).toList();
  }

  public void destroy(CompCounter counter) {
    checkAlive(counter);
    if (counter.useCount > 0) {
      throw new VerbsException(Errno.EBUSY, "the counter is attached " + counter.useCount + " times; destroy the queue pairs first");
    }
    counter.destroyed = true;
    existing.remove(counter);
  }

  /** Makes the counter count these operations; messages name the queue pair by {@code what}. */
  public static void attach(QueueCounters counters, CompCounter counter, Set<CompletionCounter.Operation> operations, Object what) {
    checkAlive(counter);
    counters.attach(counter, operations, what);
  }

  public boolean owns(CompCounter counter) {
    return counter.owner == this;
  }

  private static void checkAlive(CompCounter counter) {
    if (counter.destroyed) {
      throw new VerbsException(Errno.EINVAL, "the counter is destroyed");
    }
  }
}
