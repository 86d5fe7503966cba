package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.Violations;
import dev.weft.lab.trials.dsm.check.CheckResult;
import dev.weft.lab.trials.dsm.check.History;
import dev.weft.lab.trials.dsm.check.Linearizability;
import dev.weft.lab.trials.dsm.check.Misfit;
import dev.weft.lab.trials.dsm.check.Operation;
import dev.weft.lab.trials.dsm.check.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * The accesses of all threads to single words, and to blocks, which count as words. One thread runs at a time, so starts and ends are simply counted,
 * and no two are equal.
 */
final class WordHistories {
  /** Numbers of an array's words start at a multiple of this. */
  static final int ARRAY_STRIDE = 1_000_000;
  /** Several words at once count as accesses of as many threads. */
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

  /** Begins one of several accesses that a thread makes at once, with number {@code lane}. */
  Access begin(int thread, int lane, long word, Operation.Kind kind, long expected, long argument) {
    Access access = new Access(thread + lane * LANE_STRIDE, word, kind, expected, argument, tick());
    accesses.add(access);
    return access;
  }

  /** Ends an access; accesses without an end stay open, because it is unknown whether they happened. */
  void end(Access access, long result) {
    access.result = result;
    access.returnedAt = tick();
  }

  int size() {
    return accesses.size();
  }

  /** Adds violations that no order of accesses explains; returns the number of undecided words. */
  int check(Violations violations) {
    History history = new History();
    int lives = 0;
    for (Access access : accesses) {
      // Accesses of a thread after a failed one count as another thread's.
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
