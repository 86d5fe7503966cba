package dev.weft.lab.sim.dsm;

import dev.weft.dsm.check.CheckResult;
import dev.weft.dsm.check.History;
import dev.weft.dsm.check.Linearizability;
import dev.weft.dsm.check.Misfit;
import dev.weft.dsm.check.Operation;
import dev.weft.dsm.check.Verdict;
import dev.weft.lab.kit.Violations;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What all threads did to single words, and to blocks, which count as words. One thread runs at a time, so the moments of beginnings and ends are
 * simply counted, and no two are the same.
 */
final class WordHistories {
  /** Words of an array are numbered from a multiple of this on. */
  static final int ARRAY_STRIDE = 1_000_000;
  /** Several words at once count as done by as many threads. */
  private static final int LANE_STRIDE = 1_000;
  private static final int LIFE_STRIDE = 100_000;
  private static final long STEPS_MAX = 400_000;
  private static final int CONFIGURATIONS_MAX = 50_000;

  /** An access that has begun. */
  static final class Access {
    private final int thread;
    private final long word;
    private final Operation.Kind kind;
    private final long expected;
    private final long argument;
    private final long invokedAt;
    private long returnedAt = Operation.NEVER;
    private long result;

    private Access(int thread, long word, Operation.Kind kind, long expected, long argument, long invokedAt) {
      this.thread = thread;
      this.word = word;
      this.kind = kind;
      this.expected = expected;
      this.argument = argument;
      this.invokedAt = invokedAt;
    }
  }

  private final LongSupplier clock;
  private final List<Access> accesses = new ArrayList<>();
  /** Virtual time of each moment. */
  private final List<Long> timesNs = new ArrayList<>();

  WordHistories(LongSupplier clock) {
    this.clock = clock;
  }

  private long tick() {
    timesNs.add(clock.getAsLong());
    return timesNs.size() - 1L;
  }

  /** One of {@code lane} words that a thread accesses at once. */
  Access begin(int thread, int lane, long word, Operation.Kind kind, long expected, long argument) {
    Access access = new Access(thread + lane * LANE_STRIDE, word, kind, expected, argument, tick());
    accesses.add(access);
    return access;
  }

  /** Those that are not told stay open: nobody knows whether they happened. */
  void end(Access access, long result) {
    access.result = result;
    access.returnedAt = tick();
  }

  int size() {
    return accesses.size();
  }

  /** Adds what no order of accesses explains; answers how many words could not be decided. */
  int check(Violations violations) {
    History history = new History();
    int lives = 0;
    for (Access access : accesses) {
      // What a thread does after an access that failed counts as another thread's.
      boolean isOpen = access.returnedAt == Operation.NEVER;
      int thread = isOpen ? access.thread + ++lives * LIFE_STRIDE : access.thread;
      history.add(new Operation(thread, access.word, access.kind, access.expected, access.argument, access.result, access.invokedAt,
          access.returnedAt));
    }
    CheckResult result = new Linearizability(STEPS_MAX, CONFIGURATIONS_MAX).check(history);
    for (Misfit misfit : result.misfits()) {
      violations.addAt(timesNs.get((int) misfit.culprit().returnedAt()), "array " + misfit.word() / ARRAY_STRIDE + ", " + misfit);
    }
    return (int) result.words().stream().filter(word -> word.verdict() == Verdict.UNDECIDED).count();
  }
}
