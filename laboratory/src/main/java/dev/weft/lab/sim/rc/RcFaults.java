package dev.weft.lab.sim.rc;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultPlan;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Draws the faults of one run of the transport; all are faults of cables. Swarm: each kind is on or off, with a rate of its own. */
final class RcFaults {
  /** Maximum length of a partition, in timeouts of a queue pair. */
  private static final double TIMEOUTS_PER_CUT_MAX = 2.5;

  private RcFaults() {}

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
    List<Fault> cuts = new ArrayList<>();
    if (partitions) {
      drawCuts(draw, nodes, timeoutMinNs, stopNs, cuts);
    }
    LinkFaults faults = new LinkFaults(loss, duplication, reordering, corruption, delayMaxNs);
    return new FaultPlan(active(faults, cuts), faults, links, List.copyOf(cuts), stopNs);
  }

  private static double rate(Draw draw, Double given, double low, double high) {
    boolean on = draw.chance(0.5);
    double drawn = draw.logarithmic(low, high);
    return given != null ? given : on ? drawn : 0;
  }

  private static void drawCuts(Draw draw, int nodes, long timeoutMinNs, long stopNs, List<Fault> cuts) {
    long at = draw.between(0L, Math.min(stopNs, 500_000L));
    for (int left = draw.between(1, 3); left > 0 && at < stopNs; left--) {
      int node = draw.between(0, nodes - 1);
      int directions = draw.between(1, 3);
      long end = at + (long) draw.logarithmic(1_000, timeoutMinNs * TIMEOUTS_PER_CUT_MAX);
      cuts.add(new Fault(FaultClass.PARTITION, node, at, end, directions));
      // Long enough for the queue pairs to make progress, which restores their retries.
      at = end + draw.between(2 * timeoutMinNs, 4 * timeoutMinNs);
    }
  }

  private static Set<FaultClass> active(LinkFaults link, List<Fault> cuts) {
    Set<FaultClass> active = EnumSet.noneOf(FaultClass.class);
    addIf(link.loss() > 0, FaultClass.LOSS, active);
    addIf(link.duplication() > 0, FaultClass.DUPLICATION, active);
    addIf(link.reordering() > 0, FaultClass.REORDERING, active);
    addIf(link.corruption() > 0, FaultClass.CORRUPTION, active);
    addIf(!cuts.isEmpty(), FaultClass.PARTITION, active);
    return active;
  }

  private static void addIf(boolean happens, FaultClass kind, Set<FaultClass> active) {
    if (happens) {
      active.add(kind);
    }
  }
}
