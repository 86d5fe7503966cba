package dev.weft.lab.sim.pager;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs a range of seeds, and five in a hundred of them twice, to see that a run depends on nothing but its seed. A failing seed is cut
 * down and replayed with its message sequence chart. One thread.
 */
public final class ClusterRunner {
  private static final int REPEAT_EVERY = 20;

  private final ClusterOptions options;
  private final int chartLines;
  private final ClusterSimulation simulation = new ClusterSimulation();

  /** {@code chartLines} of each chart that is shown, 0 for none. */
  public ClusterRunner(ClusterOptions options, int chartLines) {
    this.options = options;
    this.chartLines = chartLines;
  }

  /**
   * Runs {@code first} to {@code last}, both included, or until {@code enough} says so.
   *
   * @param progress told after each seed, on the calling thread
   * @throws IllegalArgumentException if {@code last} is before {@code first}
   */
  public ClusterReport run(long first, long last, BooleanSupplier enough, Consumer<ClusterResult> progress) {
    return run(first, last, enough, progress, new FailureObserver() {});
  }

  /** Told of failures when they happen, on the thread that runs. */
  public interface FailureObserver {
    /** A seed has failed, and is being cut down. */
    default void onFailing(ClusterResult result) {}

    /** What is left of it. */
    default void onFailed(ClusterReport.Failure failure) {}
  }

  /** The same; if {@code enough} says so while a failing seed is cut down, it stays as it is then. */
  public ClusterReport run(long first, long last, BooleanSupplier enough, Consumer<ClusterResult> progress, FailureObserver failed) {
    if (last < first) {
      throw new IllegalArgumentException("the range of seeds " + first + ".." + last + " is empty; give the smaller one first");
    }
    ClusterReport.Builder report = new ClusterReport.Builder(failed::onFailed);
    for (long seed = first; ; seed++) {
      ClusterResult result = simulation.run(seed, options);
      report.add(result);
      if (!result.isClean()) {
        failed.onFailing(result);
        report.fail(failure(result, report.wantsChart(), enough));
      } else if (Math.floorMod(seed, REPEAT_EVERY) == 0) {
        repeat(result, report);
      }
      progress.accept(result);
      if (seed == last || enough.getAsBoolean()) {
        return report.build();
      }
    }
  }

  private void repeat(ClusterResult first, ClusterReport.Builder report) {
    ClusterResult again = simulation.run(first.seed(), options);
    report.repeated();
    if (first.traceHash() != again.traceHash()) {
      report.fail(new ClusterReport.Failure(first.seed(), first.shape(), List.of("the second run took another way: trace "
          + Long.toHexString(again.traceHash()) + " instead of " + Long.toHexString(first.traceHash()) + ", " + again.events()
          + " events instead of " + first.events()), replayCommand(first.seed(), options), ""));
    }
  }

  private ClusterReport.Failure failure(ClusterResult result, boolean isShown, BooleanSupplier enough) {
    long seed = result.seed();
    if (!isShown) {
      return new ClusterReport.Failure(seed, result.shape(), result.violations(), replayCommand(seed, options), "");
    }
    ClusterOptions least = new Shrinker(options, candidate -> !enough.getAsBoolean() && !simulation.run(seed, candidate).isClean()).shrink();
    ClusterResult small = simulation.run(seed, least);
    String chart = chartLines == 0 ? "" : simulation.chart(seed, least, chartLines);
    return new ClusterReport.Failure(seed, small.shape(), small.violations(), replayCommand(seed, least), chart);
  }

  /** The command that runs one seed again. */
  static String replayCommand(long seed, ClusterOptions options) {
    return "./weft sim --workload pager --seeds " + seed + ".." + seed + options.toArguments();
  }
}
