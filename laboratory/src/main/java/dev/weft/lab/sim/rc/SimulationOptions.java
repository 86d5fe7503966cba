package dev.weft.lab.sim.rc;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the user of a simulation fixes; everything that is null is drawn from the seed. Rates are probabilities per packet and cable,
 * of which a packet and its acknowledgement pass four.
 *
 * @param loss rate of lost packets, 0 to {@value #LOSS_MAX}
 * @param duplication rate of duplicated packets, 0 to {@value #DISTURBANCE_MAX}
 * @param reordering rate of delayed packets, 0 to {@value #DISTURBANCE_MAX}
 * @param corruption rate of packets with flipped bits, 0 to {@value #LOSS_MAX}
 * @param partitions whether nodes are cut off now and then, for less than the retry budget of their queue pairs
 */
public record SimulationOptions(Double loss, Double duplication, Double reordering, Double corruption, Boolean partitions) {
  /** Above this a queue pair may use up its seven retries by bad luck, which would be taken for a bug. */
  public static final double LOSS_MAX = 0.03;

  public static final double DISTURBANCE_MAX = 0.5;

  private static final List<String> NAMES = List.of("--loss", "--duplication", "--reordering", "--corruption", "--partitions");

  /** The seed decides everything. */
  public static final SimulationOptions SWARM = new SimulationOptions(null, null, null, null, null);

  /** No faults at all. */
  public static final SimulationOptions CALM = new SimulationOptions(0.0, 0.0, 0.0, 0.0, false);

  public SimulationOptions {
    check("loss", loss, LOSS_MAX);
    check("duplication", duplication, DISTURBANCE_MAX);
    check("reordering", reordering, DISTURBANCE_MAX);
    check("corruption", corruption, LOSS_MAX);
  }

  private static void check(String name, Double rate, double max) {
    if (rate != null && !(rate >= 0 && rate <= max)) {
      throw new IllegalArgumentException(String.format(Locale.ROOT, "%s is %s, must be from 0 to %s", name, rate, max)
          + (max == LOSS_MAX ? ": above it, queue pairs run out of retries by bad luck and not through a bug" : ""));
    }
  }

  /** The options of {@code weft sim} that give these, with a leading space; empty for {@link #SWARM}. */
  public String toArguments() {
    return argument("loss", loss) + argument("duplication", duplication) + argument("reordering", reordering)
        + argument("corruption", corruption) + argument("partitions", partitions);
  }

  /**
   * Reads what {@link #toArguments} writes.
   *
   * @throws IllegalArgumentException if an option is unknown, or lacks its value
   */
  static SimulationOptions ofArguments(List<String> arguments) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < arguments.size(); i += 2) {
      if (!NAMES.contains(arguments.get(i)) || i + 1 == arguments.size()) {
        throw new IllegalArgumentException(arguments + ": must be options of " + NAMES + ", each with a value");
      }
      values.put(arguments.get(i), arguments.get(i + 1));
    }
    return new SimulationOptions(rate(values.get("--loss")), rate(values.get("--duplication")), rate(values.get("--reordering")),
        rate(values.get("--corruption")), values.containsKey("--partitions") ? Boolean.valueOf(values.get("--partitions")) : null);
  }

  private static Double rate(String text) {
    return text == null ? null : Double.valueOf(text);
  }

  private static String argument(String name, Object value) {
    return value == null ? "" : " --" + name + " " + value;
  }
}
