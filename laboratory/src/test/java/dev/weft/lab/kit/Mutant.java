package dev.weft.lab.kit;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import java.util.function.LongFunction;

/** A simulation with planted bugs, in which a test looks for them. */
public final class Mutant {
  private final PlantedLoader copy;
  private final Class<? extends LongFunction<List<String>>> run;

  /**
   * A copy with bugs.
   *
   * @param run the way into the copy, with a constructor without parameters: takes a seed, answers the violations; only types of the
   *     JDK pass between the two class loaders
   * @param copied packages to load once more, with a dot at the end; {@code run} is in one of them
   * @param plants as {@link PlantedBug#plants} has them
   */
  public Mutant(Class<? extends LongFunction<List<String>>> run, List<String> copied, String plants) {
    this.run = run;
    copy = new PlantedLoader(copied, plants, Mutant.class.getClassLoader());
  }

  /** The bug shows within its seeds, and is told. */
  public static void assertFound(Class<? extends LongFunction<List<String>>> run, List<String> copied, PlantedBug bug) {
    String found = new Mutant(run, copied, bug.plants()).find(bug.seedsMax());
    assertNotNull(found, "not found: " + bug);
    System.out.println("found: " + bug.what() + ": " + found);
  }

  /**
   * Runs seeds on the copy: takes a seed, answers the violations.
   *
   * @throws IllegalStateException if there is no such call any more
   */
  public LongFunction<List<String>> simulation() {
    return copy.<LongFunction<List<String>>>create(run);
  }

  /** What the first seed from 1 to {@code seedsMax} that shows the bug has found, with that seed; null if none does. */
  public String find(int seedsMax) {
    LongFunction<List<String>> simulation = simulation();
    for (long seed = 1; seed <= seedsMax; seed++) {
      List<String> violations = violations(simulation, seed);
      if (!violations.isEmpty()) {
        return "seed " + seed + ": " + violations.getFirst();
      }
    }
    return null;
  }

  /** An actor of the changed copy that throws is a find too; the message names it and the seed. */
  private static List<String> violations(LongFunction<List<String>> simulation, long seed) {
    try {
      return simulation.apply(seed);
    } catch (IllegalStateException crashed) {
      return List.of(String.valueOf(crashed.getMessage()));
    }
  }
}
