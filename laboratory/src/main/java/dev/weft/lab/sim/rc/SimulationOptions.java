package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Given;
import dev.weft.lab.kit.Parameter;
import dev.weft.lab.kit.RunOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The facts that the user of a simulation fixes; the seed draws everything that is null. Rates are probabilities per packet and cable; a packet and
 * its acknowledgement pass four cables.
 *
 * @param loss rate of lost packets, 0 to {@value #LOSS_MAX}
 * @param duplication rate of duplicated packets, 0 to {@value #DISTURBANCE_MAX}
 * @param reordering rate of delayed packets, 0 to {@value #DISTURBANCE_MAX}
 * @param corruption rate of packets with flipped bits, 0 to {@value #LOSS_MAX}
 * @param partitions whether nodes are cut off now and then, for less than the retry budget of their queue pairs
 */
record SimulationOptions(Double loss, Double duplication, Double reordering, Double corruption, Boolean partitions)
    implements RunOptions<SimulationOptions> {
  /** Above this a queue pair may use up its seven retries by chance, which would look like a bug. */
  static final double LOSS_MAX = 0.03;

  static final double DISTURBANCE_MAX = 0.5;

  private static final String LOSS = "--loss";
  private static final String DUPLICATION = "--duplication";
  private static final String REORDERING = "--reordering";
  private static final String CORRUPTION = "--corruption";
  private static final String PARTITIONS = "--partitions";

  static final List<Parameter> PARAMETERS = List.of(
      Parameter.of(LOSS, "P", "probability that a cable loses a packet, at most " + LOSS_MAX),
      new Parameter(List.of("--dup", DUPLICATION), "P", "probability that a cable delivers a packet twice, at most " + DISTURBANCE_MAX),
      new Parameter(List.of("--reorder", REORDERING), "P", "probability that a cable delivers a packet late, at most " + DISTURBANCE_MAX),
      new Parameter(List.of("--corrupt", CORRUPTION), "P", "probability that a cable flips bits of a packet, at most " + LOSS_MAX),
      Parameter.of(PARTITIONS, "true|false", "whether nodes are disconnected now and then"));

  /** The seed decides everything. */
  static final SimulationOptions SWARM = new SimulationOptions(null, null, null, null, null);

  /** No faults at all. */
  static final SimulationOptions CALM = new SimulationOptions(0.0, 0.0, 0.0, 0.0, false);

  public SimulationOptions {
    check("loss", loss, LOSS_MAX);
    check("duplication", duplication, DISTURBANCE_MAX);
    check("reordering", reordering, DISTURBANCE_MAX);
    check("corruption", corruption, LOSS_MAX);
  }

  private static void check(String name, Double rate, double max) {
    if (rate != null && !(rate >= 0 && rate <= max)) {
      throw new IllegalArgumentException(String.format(Locale.ROOT, "%s is %s, must be from 0 to %s", name, rate, max)
          + (max == LOSS_MAX ? "; above it, queue pairs run out of retries even without a bug" : ""));
    }
  }

  static SimulationOptions of(Given given) {
    return new SimulationOptions(given.number(LOSS), given.number(DUPLICATION), given.number(REORDERING), given.number(CORRUPTION),
        given.truth(PARTITIONS));
  }

  @Override
  public Map<String, String> fixed() {
    Map<String, String> fixed = new LinkedHashMap<>();
    fix(LOSS, loss, fixed);
    fix(DUPLICATION, duplication, fixed);
    fix(REORDERING, reordering, fixed);
    fix(CORRUPTION, corruption, fixed);
    fix(PARTITIONS, partitions, fixed);
    return fixed;
  }

  private static void fix(String name, Object value, Map<String, String> fixed) {
    if (value != null) {
      fixed.put(name, value.toString());
    }
  }

  /** Fewer kinds of faults. */
  @Override
  public List<Cut<SimulationOptions>> cuts() {
    return List.of(Cut.once(o -> CALM),
        Cut.once(o -> new SimulationOptions(0.0, o.duplication, o.reordering, o.corruption, o.partitions)),
        Cut.once(o -> new SimulationOptions(o.loss, 0.0, o.reordering, o.corruption, o.partitions)),
        Cut.once(o -> new SimulationOptions(o.loss, o.duplication, 0.0, o.corruption, o.partitions)),
        Cut.once(o -> new SimulationOptions(o.loss, o.duplication, o.reordering, 0.0, o.partitions)),
        Cut.once(o -> new SimulationOptions(o.loss, o.duplication, o.reordering, o.corruption, false)));
  }
}
