package dev.weft.dsm.node;

import java.util.Random;
import java.util.function.Supplier;

/** Executions of a scenario in which chance takes each step, for scenarios with too many states for {@link Search}. The same seeds take the same steps. */
final class Walks {
  private static final int STEPS_MAX = 10_000;

  private final Scenario scenario;
  private final Supplier<Plant> plants;

  /** @param plants makes the bug of each walk */
  Walks(Scenario scenario, Supplier<Plant> plants) {
    this.scenario = scenario;
    this.plants = plants;
  }

  /**
   * Walks once for each seed from 0 on.
   *
   * @throws Search.Found if something is wrong; it names the seed
   */
  void run(int count) {
    for (int seed = 0; seed < count; seed++) {
      String problem = walk(new Random(seed));
      if (problem != null) {
        throw new Search.Found(problem + "\nprogram " + scenario + ", walk of seed " + seed);
      }
    }
  }

  private String walk(Random random) {
    ProtocolModel model = new ProtocolModel(scenario, plants.get());
    for (int step = 0; step < STEPS_MAX; step++) {
      if (model.isQuiet()) {
        return model.isSequential() ? null : "no order of what was done explains what was read: " + model.outcome();
      }
      int[] enabled = model.enabled();
      if (enabled.length == 0) {
        return "stuck: nothing can happen any more";
      }
      model.step(enabled[random.nextInt(enabled.length)]);
      String problem = model.problem();
      if (problem != null) {
        return problem;
      }
    }
    return "stuck: it goes on for more than " + STEPS_MAX + " steps";
  }
}
