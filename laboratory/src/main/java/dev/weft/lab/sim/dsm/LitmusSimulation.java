package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.Simulation;

/** Runs seeds of litmus shapes. */
final class LitmusSimulation implements Simulation<LitmusOptions> {
  /** What is counted: instances that were played, and outcomes that were seen, of those that are allowed. */
  static final String ROUND = "ROUND";
  static final String OUTCOME = "OUTCOME";

  @Override
  public Result run(long seed, LitmusOptions options) {
    try (LitmusSeed run = new LitmusSeed(seed, options, false)) {
      return run.execute();
    }
  }

  @Override
  public String chart(long seed, LitmusOptions options, int lines) {
    try (LitmusSeed run = new LitmusSeed(seed, options, true)) {
      run.execute();
      return run.chartText(lines);
    }
  }
}
