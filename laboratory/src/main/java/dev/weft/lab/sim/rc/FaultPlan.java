package dev.weft.lab.sim.rc;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.lab.kit.Draw;
import java.util.ArrayList;
import java.util.List;

/**
 * The faults of one run. Swarm: each kind is on or off, with a rate of its own.
 *
 * @param link rates
 * @param links nodes whose link has these faults, as a bit set
 * @param stopNs virtual time at which all faults stop
 * @param cuts when nodes are cut off and mended, ascending
 */
record FaultPlan(LinkFaults link, int links, long stopNs, List<Cut> cuts) {
  /** A node is cut off or mended at a virtual time; each direction by itself. */
  record Cut(long atNs, int node, boolean outgoing, boolean incoming) {}

  /** The share of the retry budget that a partition may last. */
  private static final double TIMEOUTS_PER_CUT_MAX = 2.5;

  /** Draws the faults; {@code timeoutMinNs} is the shortest timeout of any queue pair. */
  static FaultPlan draw(Draw draw, SimulationOptions options, int nodes, long timeoutMinNs) {
    double loss = rate(draw, options.loss(), 0.001, 0.02);
    double corruption = rate(draw, options.corruption(), 0.001, 0.015);
    double duplication = rate(draw, options.duplication(), 0.002, 0.4);
    double reordering = rate(draw, options.reordering(), 0.002, 0.4);
    long delayMaxNs = (long) draw.logarithmic(200, 100_000);
    boolean partitions = draw.chance(0.25);
    if (options.partitions() != null) {
      partitions = options.partitions();
    }
    int all = (1 << nodes) - 1;
    int links = draw.chance(0.7) ? all : draw.between(1, all);
    long stopNs = (long) draw.logarithmic(300_000, 100_000_000);
    List<Cut> cuts = new ArrayList<>();
    if (partitions) {
      drawCuts(draw, nodes, timeoutMinNs, stopNs, cuts);
    }
    LinkFaults faults = new LinkFaults(loss, duplication, reordering, corruption, delayMaxNs);
    return new FaultPlan(faults, links, stopNs, cuts);
  }

  private static double rate(Draw draw, Double given, double low, double high) {
    boolean on = draw.chance(0.5);
    double drawn = draw.logarithmic(low, high);
    return given != null ? given : on ? drawn : 0;
  }

  private static void drawCuts(Draw draw, int nodes, long timeoutMinNs, long stopNs, List<Cut> cuts) {
    long at = draw.between(0L, Math.min(stopNs, 500_000L));
    for (int left = draw.between(1, 3); left > 0 && at < stopNs; left--) {
      int node = draw.between(0, nodes - 1);
      int directions = draw.between(1, 3);
      long end = at + (long) draw.logarithmic(1_000, timeoutMinNs * TIMEOUTS_PER_CUT_MAX);
      cuts.add(new Cut(at, node, (directions & 1) != 0, (directions & 2) != 0));
      cuts.add(new Cut(end, node, false, false));
      // Long enough for the queue pairs to make progress, which gives them their retries back.
      at = end + draw.between(2 * timeoutMinNs, 4 * timeoutMinNs);
    }
  }

  boolean isCalm() {
    return link.loss() == 0 && link.corruption() == 0 && link.duplication() == 0 && link.reordering() == 0 && cuts.isEmpty();
  }
}
