package dev.weft.lab.kit;

import java.util.List;
import java.util.Map;

/**
 * What runs over a simulated fabric, and how what comes out is checked. Found by {@link java.util.ServiceLoader}: a jar names it in {@code
 * META-INF/services/dev.weft.lab.kit.Workload}. Stateless.
 *
 * @param <O> what is not left to the seed
 */
public interface Workload<O extends RunOptions<O>> {
  /** What the command line calls it; lower-case letters, digits and dashes, unique. */
  String name();

  /** In one line. */
  String title();

  /** Options of the command line. */
  List<Parameter> parameters();

  /**
   * What is not left to the seed.
   *
   * @throws IllegalArgumentException if a value cannot be; says what would be right
   */
  O options(Given given);

  /** For one thread. */
  Simulation<O> simulation();

  /** Names of what it asks for, in the order of reports. */
  List<String> operations();

  /** Names of faults that may happen, in the order of reports. */
  List<String> faults();

  /** What is checked, a line for each checker. */
  List<String> checkers();

  /** Bugs that it must find. */
  List<PlantedBug> plantedBugs();

  /** Bugs that take longer to show than the tests' seeds. */
  default List<PlantedBug> rareBugs() {
    return List.of();
  }

  /** A map to count branches of recovery in, in the order of reports, with those at 0 that every sweep should take. */
  Map<String, Long> marks();

  /** Loggers whose news is none under faults. */
  default List<String> noise() {
    return List.of();
  }

  /** The command that runs one seed again. */
  default String replayCommand(long seed, O options) {
    return "./weft sim --workload " + name() + " --seeds " + seed + ".." + seed + options.toArguments();
  }
}
