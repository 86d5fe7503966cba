package dev.weft.lab.sim.pager;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Cuts a failing run down: fewer classes of faults, fewer clients and servers, fewer requests, as long as it still fails. What is fixed
 * goes into the command that replays it.
 */
final class Shrinker {
  private static final int RUNS_MAX = 60;

  private final Predicate<ClusterOptions> fails;
  private ClusterOptions best;
  private int runs;

  /** {@code fails} says whether the seed fails with given options; it does with {@code start}. */
  Shrinker(ClusterOptions start, Predicate<ClusterOptions> fails) {
    this.best = start;
    this.fails = fails;
  }

  ClusterOptions shrink() {
    ClusterOptions before;
    do {
      before = best;
      dropFaults();
      for (int clients = 1; clients < best.clientsMax(); clients++) {
        keepIfFails(best.withClients(clients));
      }
      for (int servers = 1; servers < best.serversMax(); servers++) {
        keepIfFails(best.withServers(servers));
      }
      while (best.opsMax() > 1 && keepIfFails(best.withOps(best.opsMax() / 2))) {
        continue;
      }
      keepIfFails(best.withOps(Math.max(1, best.opsMax() * 3 / 4)));
    } while (!best.equals(before) && runs < RUNS_MAX);
    return best;
  }

  private void dropFaults() {
    keepIfFails(best.withFaults(EnumSet.noneOf(FaultClass.class)));
    for (FaultClass kind : FaultClass.values()) {
      if (best.faults().contains(kind)) {
        Set<FaultClass> fewer = EnumSet.copyOf(best.faults());
        fewer.remove(kind);
        keepIfFails(best.withFaults(fewer));
      }
    }
  }

  private boolean keepIfFails(ClusterOptions candidate) {
    if (candidate.equals(best) || runs++ >= RUNS_MAX || !fails.test(candidate)) {
      return false;
    }
    best = candidate;
    return true;
  }
}
