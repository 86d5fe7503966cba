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
 * Draws the faults of one run. Swarm: each class is on or off, with a rate of its own. The manager is node 0; then come the daemons, then the
 * clients, the maximum number of each, so that a run with fewer of them keeps the faults of the others.
 */
final class PvfsFaults {
  /** Faults of the manager's disk. */
  enum DiskTrouble {
    FULL,
    /** One write fails, and is not done. */
    FAILS,
    /** One write fails, and may have been done; the manager's machine fails after it. */
    UNSURE
  }

  private static final long MS = 1_000_000L;
  private static final double ON = 0.3;
  /** Longer than the retry budget of a connection, 17.2 s. */
  private static final long LONGEST_NS = 25_000 * MS;
  private static final int SERVERS_MAX = 1 + PvfsOptions.DAEMONS_MAX;
  private static final int NODES_MAX = SERVERS_MAX + PvfsOptions.CLIENTS_MAX;

  private PvfsFaults() {}

  /**
   * Draws the faults. Machines of daemons with disks fail more often, because their data remains to be checked. If all programs wait for one lock, a
   * client, which may hold it, dies more often.
   */
  static FaultPlan draw(Draw draw, Set<FaultClass> allowed, PvfsScenario scenario) {
    int daemons = scenario.daemons();
    int clients = scenario.clients();
    Set<FaultClass> active = EnumSet.noneOf(FaultClass.class);
    List<Fault> drawn = new ArrayList<>();
    double[] rates = new double[FaultClass.values().length];
    Draw common = draw.split();
    for (FaultClass kind : FaultClass.values()) {
      Draw own = draw.split();
      if (own.chance(ON) && allowed.contains(kind)) {
        active.add(kind);
        drawClass(kind, own, rates, drawn);
      }
    }
    Draw ofDisks = draw.split();
    boolean wantsCrash = scenario.hasDisks() && !scenario.isFilled(); // A power failure excuses lost data and would hide wrong answers.
    if (wantsCrash && ofDisks.chance(0.6) && allowed.contains(FaultClass.SERVER_CRASH)) {
      active.add(FaultClass.SERVER_CRASH);
      for (int left = ofDisks.between(1, 2); left > 0; left--) {
        drawCrash(FaultClass.SERVER_CRASH, ofDisks, ofDisks.between(1, daemons), 0.8, drawn);
      }
    }
    Draw ofCrowd = draw.split();
    if (scenario.locking() == PvfsScenario.Locking.CROWD && allowed.contains(FaultClass.CLIENT_CRASH)) {
      active.add(FaultClass.CLIENT_CRASH);
      int client = ofCrowd.chance(0.8) ? 0 : ofCrowd.between(0, clients - 1); // The first client probably has it.
      drawCrash(FaultClass.CLIENT_CRASH, ofCrowd, SERVERS_MAX + client, (long) ofCrowd.logarithmic(MS / 2, 10 * MS), 0.3, drawn);
    }
    Draw ofCuts = draw.split();
    if (scenario.isCut() && allowed.contains(FaultClass.SERVER_CRASH)) {
      active.add(FaultClass.SERVER_CRASH);
      int server = scenario.hasDisks() && ofCuts.chance(0.2) ? ofCuts.between(1, daemons) : 0;
      drawCrash(FaultClass.SERVER_CRASH, ofCuts, server, ofCuts.between(MS / 5, 3 * MS), 1, drawn);
    }
    Draw ofRoom = draw.split();
    if (scenario.isFilled()) {
      drawRefusals(ofRoom, allowed, scenario, active, drawn);
    }
    int all = (1 << NODES_MAX) - 1;
    int links = common.chance(0.7) ? all : common.between(1, all);
    long leastNs = (long) common.logarithmic(MS, 100 * MS);
    long delayNs = (long) common.logarithmic(200, 200_000);
    List<Fault> faults = drawn.stream().map(fault -> placed(fault, daemons, clients)).filter(fault -> fault != null)
        .sorted(Comparator.comparingLong(Fault::fromNs)).toList();
    return new FaultPlan(active, FaultPlan.link(rates, delayNs), links, faults, FaultPlan.stopNs(faults, leastNs));
  }

  /** The fault at its node among the present ones; null if the node is absent. */
  private static Fault placed(Fault fault, int daemons, int clients) {
    int node = index(fault.node(), daemons, clients);
    long amount = fault.kind() == FaultClass.CONNECTION_LOSS ? fault.amount() % (1 + daemons) : fault.amount();
    return node < 0 ? null : new Fault(fault.kind(), node, fault.fromNs(), fault.toNs(), amount);
  }

  private static int index(int node, int daemons, int clients) {
    int client = node - SERVERS_MAX;
    if (client >= 0) {
      return client < clients ? 1 + daemons + client : -1;
    }
    return node <= daemons ? node : -1;
  }

  private static void drawClass(FaultClass kind, Draw draw, double[] rates, List<Fault> faults) {
    switch (kind) {
      case LOSS, CORRUPTION -> rates[kind.ordinal()] = draw.logarithmic(0.001, 0.02);
      case DUPLICATION, REORDERING -> rates[kind.ordinal()] = draw.logarithmic(0.002, 0.3);
      case LATENCY -> drawSpans(kind, draw, NODES_MAX, 100 * MS, 1_000, 20 * MS, faults);
      case PARTITION -> drawSpans(kind, draw, NODES_MAX, LONGEST_NS, 1, 3, faults);
      case SLOW_SERVER -> {
        if (draw.chance(0.3)) {
          drawSpans(kind, draw, SERVERS_MAX, LONGEST_NS, Fault.FOR_EVER, Fault.FOR_EVER, faults);
        } else {
          drawSpans(kind, draw, SERVERS_MAX, 200 * MS, 1_000, 2 * MS, faults);
        }
      }
      case PAUSE -> drawSpans(kind, draw, NODES_MAX, LONGEST_NS, 0, 0, faults);
      case SERVER_CRASH -> {
        for (int left = draw.between(1, 2); left > 0; left--) {
          drawCrash(kind, draw, draw.chance(0.4) ? 0 : draw.between(1, SERVERS_MAX - 1), 0.8, faults);
        }
      }
      case CLIENT_CRASH -> drawCrash(kind, draw, SERVERS_MAX + draw.between(0, PvfsOptions.CLIENTS_MAX - 1), 0.7, faults);
      case SERVER_RESTART -> drawMoments(kind, draw, 0, SERVERS_MAX - 1, 2, 0, faults);
      case CONNECTION_LOSS -> drawMoments(kind, draw, SERVERS_MAX, NODES_MAX - 1, 8, SERVERS_MAX - 1, faults);
      case DISK -> {
        for (int left = draw.between(1, 3); left > 0; left--) {
          long from = (long) draw.logarithmic(1_000, 10 * MS);
          long to = from + (long) draw.logarithmic(1_000, 100 * MS);
          faults.add(new Fault(kind, 0, from, to, draw.between(0, DiskTrouble.values().length - 1)));
        }
        for (int left = draw.between(0, 4); left > 0; left--) {
          DaemonDisk.Trouble trouble = DaemonDisk.Trouble.values()[draw.between(0, DaemonDisk.Trouble.values().length - 1)];
          long from = (long) draw.logarithmic(1_000, 10 * MS);
          long to = from + (long) draw.logarithmic(1_000, trouble == DaemonDisk.Trouble.STALLS ? 10_000 * MS : 100 * MS);
          faults.add(new Fault(kind, draw.between(1, SERVERS_MAX - 1), from, to, trouble.ordinal()));
        }
      }
    }
  }

  /** Daemons have no room, and connections to them break while such refusals are on their way, so the refused requests are repeated. */
  private static void drawRefusals(Draw draw, Set<FaultClass> allowed, PvfsScenario scenario, Set<FaultClass> active, List<Fault> faults) {
    long lasts = (long) draw.logarithmic(50 * MS, 1_000 * MS);
    List<Fault> some = new ArrayList<>();
    for (int daemon = 1; scenario.hasDisks() && daemon <= scenario.daemons(); daemon++) {
      some.add(new Fault(FaultClass.DISK, daemon, 1_000, (long) draw.logarithmic(lasts, 2 * lasts), DaemonDisk.Trouble.FULL.ordinal()));
    }
    for (int client = 0; client < scenario.clients(); client++) {
      long delay = (long) draw.logarithmic(10_000, MS / 2);
      long at = StepPlanner.WRITES_NS;
      some.add(new Fault(FaultClass.LATENCY, SERVERS_MAX + client, at, at + lasts, delay));
      for (int left = draw.between(1, 4); left > 0; left--) {
        at += draw.between(delay, 12 * delay);
        for (int daemon = 1; daemon <= scenario.daemons(); daemon++) {
          some.add(new Fault(FaultClass.CONNECTION_LOSS, SERVERS_MAX + client, at, at, daemon));
        }
        at += scenario.reconnectNs();
      }
    }
    some.stream().filter(fault -> allowed.contains(fault.kind())).forEach(fault -> {
      active.add(fault.kind());
      faults.add(fault);
    });
  }

  private static void drawSpans(FaultClass kind, Draw draw, int nodes, long longestNs, long amountLow, long amountHigh, List<Fault> faults) {
    for (int left = draw.between(1, 3); left > 0; left--) {
      long from = (long) draw.logarithmic(1_000, 10 * MS);
      long to = from + (long) draw.logarithmic(1_000, longestNs);
      long amount = amountHigh < 10 ? draw.between(amountLow, amountHigh) : (long) draw.logarithmic(amountLow, amountHigh);
      faults.add(new Fault(kind, draw.between(0, nodes - 1), from, to, amount));
    }
  }

  private static void drawMoments(FaultClass kind, Draw draw, int low, int high, int most, int amountHigh, List<Fault> faults) {
    for (int left = draw.between(1, most); left > 0; left--) {
      long at = (long) draw.logarithmic(10_000, 10 * MS);
      faults.add(new Fault(kind, draw.between(low, high), at, at, draw.chance(0.3) ? 0 : draw.between(0, amountHigh)));
    }
  }

  private static void drawCrash(FaultClass kind, Draw draw, int node, double returns, List<Fault> faults) {
    drawCrash(kind, draw, node, (long) draw.logarithmic(10_000, 10 * MS), returns, faults);
  }

  private static void drawCrash(FaultClass kind, Draw draw, int node, long from, double returns, List<Fault> faults) {
    long told = (long) draw.logarithmic(1_000, 3_000 * MS);
    boolean isBack = draw.chance(returns);
    long to = from + told + (long) draw.logarithmic(MS, LONGEST_NS);
    faults.add(new Fault(kind, node, from, isBack ? to : Fault.NEVER, told));
  }
}
