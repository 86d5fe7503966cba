package dev.weft.lab.kit;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weft.fabric.seeds.Seeds;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs of a workload for a test, and what is asked of all of them.
 *
 * @param <O> its options
 */
public final class SeededRuns<O extends RunOptions<O>> {
  private final Workload<O> workload;
  private final O swarm;
  private final int chartLines;
  private final String undecided;

  /**
   * @param swarm the options where nothing is fixed
   * @param undecided what may be undecided, in the plural
   */
  public SeededRuns(Workload<O> workload, O swarm, int chartLines, String undecided) {
    this.workload = workload;
    this.swarm = swarm;
    this.chartLines = chartLines;
    this.undecided = undecided;
  }

  public SeedRunner<O> runner(O options) {
    return new SeedRunner<>(workload, options, chartLines);
  }

  /** Runs so many seeds with nothing fixed, and prints what came of them. */
  public Report run(long first, int count) {
    long startNs = System.nanoTime();
    Report done = runner(swarm).run(first, first + count - 1);
    double seconds = (System.nanoTime() - startNs) / 1e9;
    System.out.printf("%d seeds from %d in %.1f s, %.0f a second; %d events, %.1f s of virtual time, %d %s undecided%n%s%n%s%n%s%n%s%n", count, first,
        seconds, count / seconds, done.events(), done.virtualNs() / 1e9, done.undecided(), undecided, done.links(), done.faults(), done.operations(),
        done.marks());
    return done;
  }

  public static void assertClean(Report done) {
    assertTrue(done.isClean(), () -> done.failureCount() + " of " + done.seeds() + " seeds failed\n"
        + done.failures().stream().map(Failure::describe).collect(Collectors.joining("\n")));
  }

  /** Those that the version draws. */
  public void assertCleanWithSeedsOfTheVersion(Seeds seeds) {
    assumeTrue(seeds.versionCount() > 0, "no seeds of the version are wanted");
    assertClean(run(seeds.versionFirst(), seeds.versionCount()));
  }

  /** Each with the options that it failed with. */
  public void assertCleanWithSeedsThatOnceFailed(Seeds seeds) {
    assertAll(seeds.failed().stream().map(seed -> () -> assertClean(runner(ofArguments(seed.options())).run(seed.seed(), seed.seed()))));
  }

  public O ofArguments(List<String> arguments) {
    return workload.options(Given.of(arguments, workload.parameters()));
  }
}
