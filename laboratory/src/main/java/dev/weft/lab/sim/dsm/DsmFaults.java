package dev.weft.lab.sim.dsm;

import dev.weft.lab.kit.Draw;
import dev.weft.lab.kit.Fault;
import dev.weft.lab.kit.FaultClass;
import dev.weft.lab.kit.FaultPlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Draws the faults of one run. Swarm: each class is on or off, with a rate of its own. Cuts and pauses add up to less than the retry budget of a
 * connection, 16.8 s: live nodes lose no connection, and so do not count as dead.
 */
final class DsmFaults {
  private static final long MS = 1_000_000L;
  private static final double ON = 0.3;
  private static final double TOLD_SOON = 0.6;
  static final long TOLD_SOON_NS = 100_000;

  private DsmFaults() {}

  /** Draws faults for the maximum number of nodes; {@link #only} removes those of absent nodes. */
  static FaultPlan draw(Draw draw, Set<FaultClass> allowed) {
    Set<FaultClass> active = EnumSet.noneOf(FaultClass.class);
    List<Fault> faults = new ArrayList<>();
    double[] rates = new double[FaultClass.values().length];
    Draw common = draw.split();
    for (FaultClass kind : DsmOptions.KNOWN) {
      Draw own = draw.split();
      if (own.chance(ON) && allowed.contains(kind)) {
        active.add(kind);
        drawClass(kind, own, rates, faults);
      }
    }
    int all = (1 << DsmOptions.NODES_MAX) - 1;
    int links = common.chance(0.7) ? all : common.between(1, all);
    long stopNs = (long) common.logarithmic(MS, 50 * MS);
    long delayNs = (long) common.logarithmic(200, 200_000);
    Draw ofCrashes = draw.split();
    if (allowed.contains(FaultClass.SLOW_SERVER) && ofCrashes.chance(TOLD_SOON)) {
      tellSoon(ofCrashes, faults);
    }
    faults.sort(Comparator.comparingLong(Fault::fromNs));
    return new FaultPlan(active, FaultPlan.link(rates, delayNs), links, faults, stopNs);
  }

  /** The faults of the first {@code nodes} nodes. */
  static FaultPlan only(FaultPlan plan, int nodes) {
    List<Fault> faults = plan.faults().stream().filter(fault -> fault.node() < nodes).toList();
    return new FaultPlan(plan.active(), plan.link(), plan.links(), faults, FaultPlan.stopNs(faults, plan.stopNs()));
  }

  private static void drawClass(FaultClass kind, Draw draw, double[] rates, List<Fault> faults) {
    int last = DsmOptions.NODES_MAX - 1;
    switch (kind) {
      case LOSS, CORRUPTION -> rates[kind.ordinal()] = draw.logarithmic(0.001, 0.02);
      case DUPLICATION, REORDERING -> rates[kind.ordinal()] = draw.logarithmic(0.002, 0.3);
      case LATENCY -> drawSpans(kind, draw, 50 * MS, 1_000, 5 * MS, faults);
      case PARTITION -> drawSpans(kind, draw, 1_500 * MS, 1, 3, faults);
      case SLOW_SERVER -> drawSpans(kind, draw, 50 * MS, 500, 200_000, faults);
      case PAUSE -> drawSpans(kind, draw, 1_500 * MS, 0, 0, faults);
      case SERVER_CRASH -> drawCrash(kind, draw, 0, faults);
      case CLIENT_CRASH -> drawCrash(kind, draw, draw.chance(0.5) ? 1 : draw.between(1, last), faults);
      case CONNECTION_LOSS, SERVER_RESTART, DISK -> throw new IllegalStateException(kind + " is not known here");
    }
  }

  /** Crashes that the others learn of at once; see {@link Ambush}. */
  private static void tellSoon(Draw draw, List<Fault> faults) {
    faults.replaceAll(fault -> fault.kind().isCrash()
        ? new Fault(fault.kind(), fault.node(), fault.fromNs(), fault.toNs(), (long) draw.logarithmic(1_000, TOLD_SOON_NS)) : fault);
  }

  private static void drawSpans(FaultClass kind, Draw draw, long longestNs, long amountLow, long amountHigh, List<Fault> faults) {
    for (int left = draw.between(1, 3); left > 0; left--) {
      long from = (long) draw.logarithmic(1_000, 5 * MS);
      long to = from + (long) draw.logarithmic(1_000, longestNs);
      long amount = amountHigh < 10 ? draw.between(amountLow, amountHigh) : (long) draw.logarithmic(amountLow, amountHigh);
      faults.add(new Fault(kind, draw.between(0, DsmOptions.NODES_MAX - 1), from, to, amount));
    }
  }

  private static void drawCrash(FaultClass kind, Draw draw, int node, List<Fault> faults) {
    long from = (long) draw.logarithmic(10_000, 3 * MS);
    long told = (long) draw.logarithmic(1_000, 1_000 * MS);
    if (draw.chance(0.8)) {
      faults.add(new Fault(kind, node, from, Fault.NEVER, told));
    }
  }
}
