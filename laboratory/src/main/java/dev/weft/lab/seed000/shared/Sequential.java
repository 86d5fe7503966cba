package dev.weft.lab.seed000.shared;

import dev.weft.dsm.SharedSpace;
import dev.weft.lab.trials.dsm.apps.Application;
import dev.weft.lab.trials.dsm.apps.Applications;
import dev.weft.lab.trials.dsm.apps.Operation;
import dev.weft.lab.trials.dsm.apps.Outcome;
import dev.weft.lab.trials.dsm.apps.Work;
import dev.weft.lab.trials.dsm.apps.Worker;
import dev.weft.lab.trials.dsm.local.LocalSpace;
import java.util.Arrays;

/**
 * The sequential run of an application: one worker, no shared memory. Its time is what its operations cost.
 *
 * @param operations counts, by {@link Operation}
 * @param outcome what others must come to
 */
public record Sequential(long[] operations, Outcome outcome) {
  /**
   * Runs it.
   *
   * @throws IllegalStateException if its result is wrong
   */
  public static Sequential of(String application, String size) {
    Application found = Applications.byName(application);
    long[] counts = new long[Operation.values().length];
    try (LocalSpace space = LocalSpace.forOneThread()) {
      Work work = found.work(new Counting(space, counts), size);
      work.prepare();
      Arrays.fill(counts, 0);
      work.run();
      long[] operations = counts.clone();
      work.gather();
      Outcome outcome = work.outcome();
      if (!outcome.passed()) {
        throw new IllegalStateException("the sequential run of " + application + " " + size + " is wrong: " + outcome.checks());
      }
      return new Sequential(operations, outcome);
    }
  }

  /** What it takes, in nanoseconds. */
  public double ns(ProgramCosts costs) {
    double sum = 0;
    for (Operation operation : Operation.values()) {
      sum += costs.ns(operation, operations[operation.ordinal()]);
    }
    return sum;
  }

  private record Counting(SharedSpace space, long[] counts) implements Worker {
    @Override
    public int index() {
      return 0;
    }

    @Override
    public int count() {
      return 1;
    }

    @Override
    public String run() {
      return "sequential";
    }

    @Override
    public void compute(Operation operation, long count) {
      counts[operation.ordinal()] += count;
    }
  }
}
