package dev.weft.lab.seed000.shared;

import java.util.ArrayList;
import java.util.List;

/** What one thread spends its time on, from its begin to its end. */
final class Spending {
  /** What a thread does, or waits for. */
  enum On { COMPUTING, READ_FAULTS, WRITE_FAULTS, LOCKS, BARRIERS }

  private final long[] ns = new long[On.values().length];
  /** When it came to each barrier. */
  private final List<Long> arrivalsNs = new ArrayList<>();
  private On on = On.COMPUTING;
  private long sinceNs;
  private double computedNs;
  private boolean isMeasured;

  void begin(long nowNs) {
    isMeasured = true;
    sinceNs = nowNs;
  }

  void end(long nowNs) {
    turnTo(On.COMPUTING, nowNs);
    isMeasured = false;
  }

  void turnTo(On next, long nowNs) {
    if (isMeasured) {
      ns[on.ordinal()] += nowNs - sinceNs;
      sinceNs = nowNs;
      if (next == On.BARRIERS) {
        arrivalsNs.add(nowNs);
      }
    }
    on = next;
  }

  /** So much of its time on a processor of its own. */
  void computed(double someNs) {
    computedNs += isMeasured ? someNs : 0;
  }

  /** The mean of some threads that met at the same barriers. */
  static Breakdown mean(List<Spending> all) {
    double computed = 0;
    double[] sums = new double[On.values().length];
    double waited = 0;
    for (Spending each : all) {
      computed += each.computedNs;
      for (On what : On.values()) {
        sums[what.ordinal()] += each.ns[what.ordinal()];
      }
      for (int i = 0; i < each.arrivalsNs.size(); i++) {
        waited += last(all, i) - each.arrivalsNs.get(i);
      }
    }
    int threads = all.size();
    return new Breakdown(computed / threads, (sums[On.COMPUTING.ordinal()] - computed) / threads, sums[On.READ_FAULTS.ordinal()] / threads,
        sums[On.WRITE_FAULTS.ordinal()] / threads, sums[On.LOCKS.ordinal()] / threads, waited / threads,
        (sums[On.BARRIERS.ordinal()] - waited) / threads);
  }

  private static long last(List<Spending> all, int barrier) {
    long lastNs = Long.MIN_VALUE;
    for (Spending each : all) {
      lastNs = Math.max(lastNs, each.arrivalsNs.get(barrier));
    }
    return lastNs;
  }
}
