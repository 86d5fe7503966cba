package dev.weft.lab.kit;

import java.util.List;
import java.util.Map;

/**
 * A workload on a simulated fabric, and the checks of its outcome. Found by {@link java.util.ServiceLoader}: a jar names it in
 * {@code META-INF/services/dev.weft.lab.kit.Workload}. No state.
 *
 * @param <O> type of the options
 */
public interface Workload<O extends RunOptions<O>> {
  /** Name on the command line; lower-case letters, digits and dashes, unique. */
  String name();

  /** Title in one line. */
  String title();

  /** Options of the command line. */
  List<Parameter> parameters();

  /**
   * Parses the facts that the seed does not decide.
   *
   * @throws IllegalArgumentException if a value is invalid; says what is valid
   */
  O options(Given given);

  /** Makes a simulation for one thread. */
  Simulation<O> simulation();

  /** Names of its operations, in the order of reports. */
  List<String> operations();

  /** Names of possible faults, in the order of reports. */
  List<String> faults();

  /** Its checks, a line for each checker. */
  List<String> checkers();

  /** Bugs that it must find. */
  List<PlantedBug> plantedBugs();

  /** Bugs that need more seeds than the tests run. */
  default List<PlantedBug> rareBugs() {
    return List.of();
  }

  /** Initial counts of branches of recovery, in the order of reports; those at 0 should be taken in every sweep. */
  Map<String, Long> marks();

  /** Loggers whose messages are expected under faults. */
  default List<String> noise() {
    return List.of();
  }

  /** The command that repeats one seed. */
  default String replayCommand(long seed, O options) {
    return "./weft sim --workload " + name() + " --seeds " + seed + ".." + seed + options.toArguments();
  }
}
