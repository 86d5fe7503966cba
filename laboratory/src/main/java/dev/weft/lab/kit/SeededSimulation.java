package dev.weft.lab.kit;

/**
 * Runs each seed in a run of its own, which it sets up, executes and closes. One thread.
 *
 * @param <O> type of the options
 */
public final class SeededSimulation<O extends RunOptions<O>> implements Simulation<O> {
  /** The run of one seed. */
  public interface Run extends AutoCloseable {
    /** Runs it and checks the final state. At most once. */
    Result execute();

    /** The last {@code lines} lines of the chart; call it after {@link #execute} of a run with a chart. */
    String chartText(int lines);

    @Override
    void close();
  }

  /** Sets up a run; its exceptions are reported with the seed. */
  @FunctionalInterface
  public interface SetUp<O> {
    Run of(long seed, O options, boolean charted);
  }

  private final SetUp<O> setUp;

  public SeededSimulation(SetUp<O> setUp) {
    this.setUp = setUp;
  }

  @Override
  public Result run(long seed, O options) {
    try (Run run = setUp(seed, options, false)) {
      return run.execute();
    }
  }

  @Override
  public String chart(long seed, O options, int lines) {
    try (Run run = setUp(seed, options, true)) {
      run.execute();
      return run.chartText(lines);
    }
  }

  private Run setUp(long seed, O options, boolean charted) {
    try {
      return setUp.of(seed, options, charted);
    } catch (RuntimeException e) {
      throw new IllegalStateException("the simulation of seed " + seed + " could not be set up: " + e, e);
    }
  }
}
