package dev.weft.lab.sim.pvfs;

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
 * Draws the faults of one run of clients that append. Swarm: each class is on or off, with a rate of its own. Faults that cut a client off for longer
 * than the manager keeps its session are more frequent than by chance. The manager is node 0; then come the daemons, then the clients, the maximum
 * number of each.
 */
final class AppendFaults {
  private static final long MS = 1_000_000L;
  private static final long S = 1_000 * MS;
  private static final double ON = 0.3;
  private static final double CUT_ON = 0.5;
  private static final double LONG = 0.6;
  private static final double OF_CLIENT = 0.85;
  /** From the cut until the manager considers the connection lost and starts to count: the retry budget, and a quarter of a lease. */
  private static final long NOTICED_NS = 18 * S;
  private static final long LONGER_NS = 30 * S;
  private static final int SERVERS_MAX = 1 + AppendOptions.DAEMONS_MAX;
  private static final int NODES_MAX = SERVERS_MAX + AppendOptions.CLIENTS_MAX;

  private final List<Fault> faults = new ArrayList<>();
  private final double[] rates = new double[FaultClass.values().length];
  private final long keepNs;
  private final int daemons;
  private final int clients;

  private AppendFaults(long keepNs, int daemons, int clients) {
    this.keepNs = keepNs;
    this.daemons = daemons;
    this.clients = clients;
  }

  /** Draws faults of all classes, for the present nodes. */
  static FaultPlan draw(Draw draw, long keepNs, int daemons, int clients) {
    Set<FaultClass> active = EnumSet.noneOf(FaultClass.class);
    AppendFaults drawn = new AppendFaults(keepNs, daemons, clients);
    Draw common = draw.split();
    for (FaultClass kind : AppendOptions.KNOWN) {
      Draw own = draw.split();
      if (own.chance(isCut(kind) ? CUT_ON : ON)) {
        active.add(kind);
        drawn.drawClass(kind, own);
      }
    }
    int all = (1 << NODES_MAX) - 1;
    int links = common.chance(0.7) ? all : common.between(1, all);
    long delayNs = (long) common.logarithmic(200, 200_000);
    return plan(active, drawn.rates, delayNs, links, drawn.faults, (long) common.logarithmic(MS, S));
  }

  private static FaultPlan plan(Set<FaultClass> active, double[] rates, long delayNs, int links, List<Fault> faults, long leastNs) {
    List<Fault> byTime = faults.stream().sorted(Comparator.comparingLong(Fault::fromNs)).toList();
    return new FaultPlan(active, FaultPlan.link(rates, delayNs), links, byTime, FaultPlan.stopNs(byTime, leastNs));
  }

  /** The same plan without faults that are not allowed. */
  static FaultPlan only(FaultPlan all, Set<FaultClass> allowed) {
    Set<FaultClass> active = EnumSet.copyOf(AppendOptions.KNOWN);
    active.retainAll(all.active());
    active.retainAll(allowed);
    double[] rates = new double[FaultClass.values().length];
    active.forEach(kind -> rates[kind.ordinal()] = rate(all, kind));
    List<Fault> faults = all.faults().stream().filter(fault -> active.contains(fault.kind())).toList();
    return plan(active, rates, all.link().reorderDelayMaxNs(), all.links(), faults, all.stopNs());
  }

  private static double rate(FaultPlan of, FaultClass kind) {
    return switch (kind) {
      case LOSS -> of.link().loss();
      case DUPLICATION -> of.link().duplication();
      case REORDERING -> of.link().reordering();
      case CORRUPTION -> of.link().corruption();
      default -> 0;
    };
  }

  /** Whether it separates a node from all others for a while. */
  static boolean isCut(FaultClass kind) {
    return kind == FaultClass.PARTITION || kind == FaultClass.PAUSE;
  }

  private void drawClass(FaultClass kind, Draw draw) {
    switch (kind) {
      case LOSS, CORRUPTION -> rates[kind.ordinal()] = draw.logarithmic(0.001, 0.02);
      case DUPLICATION, REORDERING -> rates[kind.ordinal()] = draw.logarithmic(0.002, 0.3);
      case LATENCY -> {
        for (int left = draw.between(1, 3); left > 0; left--) {
          add(kind, draw.between(0, NODES_MAX - 1), beginNs(draw), (long) draw.logarithmic(1_000, S), (long) draw.logarithmic(1_000, 20 * MS));
        }
      }
      case PARTITION, PAUSE -> drawCuts(kind, draw);
      case CONNECTION_LOSS -> {
        for (int left = draw.between(1, 8); left > 0; left--) {
          add(kind, SERVERS_MAX + draw.between(0, AppendOptions.CLIENTS_MAX - 1), beginNs(draw), 0, draw.between(0, SERVERS_MAX - 1));
        }
      }
      case SERVER_RESTART -> {
        for (int left = draw.between(1, 2); left > 0; left--) {
          add(kind, 0, beginNs(draw), 0, 0);
        }
      }
      case SERVER_CRASH, CLIENT_CRASH, SLOW_SERVER, DISK -> throw new IllegalStateException(kind + " is not known here");
    }
  }

  private void drawCuts(FaultClass kind, Draw draw) {
    for (int left = draw.between(1, 3); left > 0; left--) {
      int node = draw.chance(OF_CLIENT) ? SERVERS_MAX + draw.between(0, AppendOptions.CLIENTS_MAX - 1) : 0;
      long ns = draw.chance(LONG) ? NOTICED_NS + keepNs + (long) draw.logarithmic(MS, LONGER_NS) : (long) draw.logarithmic(1_000, NOTICED_NS + keepNs);
      add(kind, node, beginNs(draw), ns, kind == FaultClass.PAUSE ? 0 : draw.pick(1, 2, 3, 3, 3));
    }
  }

  private static long beginNs(Draw draw) {
    return (long) draw.logarithmic(100_000, 5.0 * S);
  }

  /** Adds a fault if its node is present. */
  private void add(FaultClass kind, int node, long fromNs, long ns, long amount) {
    int client = node - SERVERS_MAX;
    boolean isThere = client < 0 ? node <= daemons : client < clients;
    if (isThere) {
      faults.add(new Fault(kind, client < 0 ? node : 1 + daemons + client, fromNs, fromNs + ns,
          kind == FaultClass.CONNECTION_LOSS ? amount % (1 + daemons) : amount));
    }
  }
}
