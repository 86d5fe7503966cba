package dev.weft.lab.trials.dsm.apps;

import java.util.List;

/**
 * The outcome of a run.
 *
 * @param lines text for users
 * @param checks checks within the run itself
 * @param digest digest of the results that have the same bits with any number of workers; 0 if there are none
 * @param values results that differ only by the order of summation; may be empty
 */
public record Outcome(List<String> lines, List<Check> checks, long digest, double[] values) {
  /** Permitted relative difference of values from the sequential run; differences by the order of summation stay far below. */
  public static final double RELATIVE_MAX = 1e-9;

  public Outcome {
    lines = List.copyOf(lines);
    checks = List.copyOf(checks);
  }

  /** Whether all checks passed. */
  public boolean passed() {
    return checks.stream().allMatch(Check::passed);
  }

  /** Checks that this is the result of the sequential run: equal digests, and values within {@link #RELATIVE_MAX} of the largest value. */
  public Check against(Outcome sequential) {
    if (digest != sequential.digest || values.length != sequential.values.length) {
      return new Check("as sequential", false, "digest %016x of %d values, expected %016x of %d"
          .formatted(digest, values.length, sequential.digest, sequential.values.length));
    }
    double scale = 0;
    double worst = 0;
    for (int i = 0; i < values.length; i++) {
      scale = Math.max(scale, Math.abs(sequential.values[i]));
      double off = Math.abs(values[i] - sequential.values[i]);
      worst = Double.isNaN(off) ? Double.POSITIVE_INFINITY : Math.max(worst, off);
    }
    double relative = worst == 0 ? 0 : worst / scale;
    return new Check("as sequential", relative <= RELATIVE_MAX,
        "digest %016x, values off by %.1e, may be %.1e".formatted(digest, relative, RELATIVE_MAX));
  }
}
