package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkCounts;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs a range of seeds, and one in twenty of them twice, to check that a run depends only on its seed: the second run finds other data in memory.
 * The first failing seeds are shrunk and replayed with their message sequence charts. One thread.
 */
public final class SeedRunner<O extends RunOptions<O>> {
  private static final int REPEAT_EVERY = 20;

  private final Workload<O> workload;
  private final O options;
  private final int chartLines;
  private final Simulation<O> simulation;

  /** A runner that shows {@code chartLines} lines of each chart, 0 for none. */
  public SeedRunner(Workload<O> workload, O options, int chartLines) {
    this.workload = workload;
    this.options = options;
    this.chartLines = chartLines;
    this.simulation = workload.simulation();
  }

  /** Receives events on the running thread. */
  public interface Observer {
    /** A seed has failed, and is being shrunk. */
    default void onFailing(Result result) {}

    /** The failure after shrinking. */
    default void onFailed(Failure failure) {}

    /** A seed is done. */
    default void onRun(Result result) {}
  }

  /**
   * Runs the seeds {@code first} to {@code last}, inclusive.
   *
   * @throws IllegalArgumentException if {@code last} is before {@code first}
   */
  public Report run(long first, long last) {
    return run(first, last, () -> false, new Observer() {});
  }

  /**
   * The same, until {@code enough} returns true; if that happens while a failing seed is shrunk, shrinking stops.
   *
   * @throws IllegalArgumentException if {@code last} is before {@code first}
   */
  public Report run(long first, long last, BooleanSupplier enough, Observer observer) {
    if (last < first) {
      throw new IllegalArgumentException("the range of seeds " + first + ".." + last + " is empty; give the smaller one first");
    }
    Report.Builder report = new Report.Builder(workload, observer::onFailed);
    for (long seed = first; ; seed++) {
      Result result = run(seed, options);
      report.add(result);
      if (!result.isClean()) {
        observer.onFailing(result);
        report.fail(failure(result, report.wantsChart(), enough));
      } else if (Math.floorMod(seed, REPEAT_EVERY) == 0) {
        report.repeated();
        compare(result, run(seed, options), report::fail);
      }
      observer.onRun(result);
      if (seed == last || enough.getAsBoolean()) {
        return report.build();
      }
    }
  }

  /** An exception of the workload is a violation like others, because its seed repeats it. */
  private Result run(long seed, O some) {
    try {
      return simulation.run(seed, some);
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      return new Result(seed, 0, 0, 0, new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0), Map.of(), Map.of(), Map.of(), 0, "a run that did not end",
          List.of("the run threw " + e), 0);
    }
  }

  /** The message sequence chart of a seed with the options of this runner, whether it passes or fails. */
  public String chart(long seed) {
    return chart(seed, options);
  }

  private String chart(long seed, O some) {
    try {
      return simulation.chart(seed, some, chartLines);
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      return "there is no chart: " + e + "\n";
    }
  }

  /** Checks that two runs of a seed have the same trace. */
  void compare(Result first, Result again, Consumer<Failure> failed) {
    if (first.traceHash() != again.traceHash()) {
      failed.accept(new Failure(first.seed(), first.shape(), List.of("the second run took another way: trace "
          + Long.toHexString(again.traceHash()) + " instead of " + Long.toHexString(first.traceHash()) + ", " + again.events()
          + " events instead of " + first.events()), workload.replayCommand(first.seed(), options), ""));
    }
  }

  private Failure failure(Result result, boolean isShown, BooleanSupplier enough) {
    long seed = result.seed();
    if (!isShown) {
      return new Failure(seed, result.shape(), result.violations(), workload.replayCommand(seed, options), "");
    }
    O least = new Shrinker<>(options, candidate -> !enough.getAsBoolean() && !run(seed, candidate).isClean()).shrink();
    Result small = run(seed, least);
    String chart = chartLines == 0 ? "" : chart(seed, least);
    return new Failure(seed, small.shape(), small.violations(), workload.replayCommand(seed, least), chart);
  }
}
