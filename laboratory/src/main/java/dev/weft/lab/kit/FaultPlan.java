package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkFaults;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The faults of one run. Swarm: each class is on or off, with a rate and a random stream of its own.
 *
 * @param active classes that occur
 * @param link rates of the faults of cables
 * @param links nodes whose cables have these faults, as a bit set
 * @param faults faults of nodes, by time
 * @param stopNs when all faults stop, from the start of the workload
 */
public record FaultPlan(Set<FaultClass> active, LinkFaults link, int links, List<Fault> faults, long stopNs) {
  /**
   * The nodes that faults may hit: servers have the first indices, then clients, then idle nodes.
   *
   * @param servers nodes with a server, 1 or more
   * @param clients nodes with a client, 1 or more
   * @param nodes number of all nodes
   */
  public record Cast(int servers, int clients, int nodes) {}

  private static final long MS = 1_000_000L;
  private static final double ON = 0.35;

  /** Draws the faults of a cluster of servers and clients; the seed decides which of the {@code allowed} classes occur. */
  public static FaultPlan draw(Draw draw, Set<FaultClass> allowed, Cast cast) {
    Set<FaultClass> active = EnumSet.noneOf(FaultClass.class);
    List<Fault> faults = new ArrayList<>();
    double[] rates = new double[FaultClass.values().length];
    Draw common = draw.split();
    for (FaultClass kind : FaultClass.values()) {
      Draw own = draw.split();
      if (own.chance(ON) && allowed.contains(kind)) {
        active.add(kind);
        drawClass(kind, own, cast, rates, faults);
      }
    }
    int all = (1 << cast.nodes()) - 1;
    int links = common.chance(0.7) ? all : common.between(1, all);
    long stopNs = stopNs(faults, (long) common.logarithmic(2 * MS, 200 * MS));
    faults.sort(Comparator.comparingLong(Fault::fromNs));
    long delayNs = (long) common.logarithmic(200, 200_000);
    return new FaultPlan(active, link(rates, delayNs), links, List.copyOf(faults), stopNs);
  }

  /** End of the last of some faults, at least {@code leastNs}. */
  public static long stopNs(List<Fault> faults, long leastNs) {
    return faults.stream().mapToLong(fault -> fault.toNs() == Fault.NEVER ? fault.fromNs() + fault.amount() : fault.toNs()).reduce(leastNs, Math::max);
  }

  /** Faults of cables with these rates, by the number of their class. */
  public static LinkFaults link(double[] rates, long delayNs) {
    return new LinkFaults(rates[FaultClass.LOSS.ordinal()], rates[FaultClass.DUPLICATION.ordinal()], rates[FaultClass.REORDERING.ordinal()],
        rates[FaultClass.CORRUPTION.ordinal()], delayNs);
  }

  private static void drawClass(FaultClass kind, Draw draw, Cast s, double[] rates, List<Fault> faults) {
    switch (kind) {
      case LOSS, CORRUPTION -> rates[kind.ordinal()] = draw.logarithmic(0.001, 0.02);
      case DUPLICATION, REORDERING -> rates[kind.ordinal()] = draw.logarithmic(0.002, 0.3);
      case LATENCY -> drawSpans(kind, draw, 0, s.nodes() - 1, 1_000, 100 * MS, 1_000, 20 * MS, faults);
      case PARTITION -> drawSpans(kind, draw, 0, s.nodes() - 1, 1_000, 28_000 * MS, 1, 3, faults);
      case SLOW_SERVER -> {
        if (draw.chance(0.3)) {
          drawSpans(kind, draw, 0, s.servers() - 1, 1_000 * MS, 120_000 * MS, Fault.FOR_EVER, Fault.FOR_EVER, faults);
        } else {
          drawSpans(kind, draw, 0, s.servers() - 1, MS, 1_000 * MS, 1_000, 5 * MS, faults);
        }
      }
      case PAUSE -> drawSpans(kind, draw, 0, s.nodes() - 1, 1_000, 28_000 * MS, 0, 0, faults);
      case SERVER_CRASH -> drawCrash(kind, draw, 0, s.servers() - 1, 0.7, faults);
      case CLIENT_CRASH -> drawCrash(kind, draw, s.servers(), s.servers() + s.clients() - 1, 1, faults);
      case SERVER_RESTART -> {
        long at = (long) draw.logarithmic(1_000, 30 * MS);
        faults.add(new Fault(kind, draw.between(0, s.servers() - 1), at, at, 0));
      }
      case DISK -> throw new IllegalStateException("these servers have no disk");
      case CONNECTION_LOSS -> {
        for (int left = draw.between(1, 6); left > 0; left--) {
          long at = (long) draw.logarithmic(1_000, 30 * MS);
          faults.add(new Fault(kind, s.servers() + draw.between(0, s.clients() - 1), at, at, draw.between(0, s.servers() - 1)));
        }
      }
    }
  }

  private static void drawSpans(FaultClass kind, Draw draw, int nodeLow, int nodeHigh, long shortNs, long longNs, long amountLow,
      long amountHigh, List<Fault> faults) {
    for (int left = draw.between(1, 3); left > 0; left--) {
      long from = (long) draw.logarithmic(1_000, 30 * MS);
      long to = from + (long) draw.logarithmic(shortNs, longNs);
      long amount = amountHigh < 10 ? draw.between(amountLow, amountHigh) : (long) draw.logarithmic(amountLow, amountHigh);
      faults.add(new Fault(kind, draw.between(nodeLow, nodeHigh), from, to, amount));
    }
  }

  /** At most one crash of each kind, so that something is left to check. */
  private static void drawCrash(FaultClass kind, Draw draw, int nodeLow, int nodeHigh, double returns, List<Fault> faults) {
    long from = (long) draw.logarithmic(10_000, 30 * MS);
    long told = (long) draw.logarithmic(1_000, 3_000 * MS);
    boolean back = draw.chance(returns);
    long to = from + told + (long) draw.logarithmic(1_000, 1_000 * MS);
    faults.add(new Fault(kind, draw.between(nodeLow, nodeHigh), from, back ? to : Fault.NEVER, told));
  }

  /** Whether there are no faults at all. */
  public boolean isCalm() {
    return link.loss() == 0 && link.corruption() == 0 && link.duplication() == 0 && link.reordering() == 0 && faults.isEmpty();
  }

  /** Whether faults hit nodes, not only packets. */
  public boolean hurtsNodes() {
    return faults.stream().anyMatch(fault -> fault.kind() != FaultClass.LATENCY);
  }

  @Override
  public String toString() {
    return active.isEmpty() ? "no faults" : FaultClass.describe(active);
  }
}
