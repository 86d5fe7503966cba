package dev.weft.lab.seed000.shared;

import dev.weft.dsm.access.Rights;
import dev.weft.fabric.time.AppThread;
import dev.weft.lab.hosts.VirtualHost;
import dev.weft.lab.trials.dsm.apps.Operation;

/**
 * A thread of an application, as a process of its host. It has a processor as long as it does not wait, and others take it away; its time passes when
 * it pays. Costs are put together up to a quantum, and paid before anything else happens that takes time.
 */
final class ChargedThread {
  /** So much may be computed at once; what a thread reads meanwhile is so old at most. */
  private static final double QUANTUM_NS = 100_000;

  private static final ThreadLocal<ChargedThread> CURRENT = new ThreadLocal<>();

  private final AppThread thread;
  private final VirtualHost host;
  private final ProgramCosts costs;
  private final int process;
  private final FaultTimes times;
  private final Spending spending = new Spending();
  private double owedNs;
  private long faultNs = -1;
  private byte faultRights;

  ChargedThread(AppThread thread, VirtualHost host, ProgramCosts costs, FaultTimes times) {
    this.thread = thread;
    this.host = host;
    this.costs = costs;
    this.times = times;
    this.process = host.addProcess(thread.toString());
  }

  /** The calling thread; null if it is none of these. */
  static ChargedThread current() {
    return CURRENT.get();
  }

  int process() {
    return process;
  }

  Spending spending() {
    return spending;
  }

  /** What it does from now on, after all that it has computed. */
  void turnsTo(Spending.On what) {
    pay();
    spending.turnTo(what, thread.nowNs());
  }

  /** Begins to want a processor, and gets one. */
  void begin() {
    CURRENT.set(this);
    occupy(0, true);
  }

  /** Gives it up for good. */
  void end() {
    pay();
    host.spin(process, false);
    CURRENT.remove();
  }

  void compute(Operation operation, long count) {
    double ns = costs.ns(operation, count);
    spending.computed(ns);
    owe(ns);
    if (owedNs >= QUANTUM_NS) {
      pay();
    }
  }

  void owe(double ns) {
    owedNs += ns;
  }

  /** Time passes for all that was computed. */
  void pay() {
    long ns = Math.round(owedNs);
    owedNs = 0;
    if (ns > 0) {
      occupy(ns, false);
    }
  }

  void faults(byte rights) {
    turnsTo(rights == Rights.WRITE ? Spending.On.WRITE_FAULTS : Spending.On.READ_FAULTS);
    faultNs = thread.nowNs();
    faultRights = rights;
    owe(costs.faultNs());
  }

  /** It waits and keeps its processor, on which it takes completions. */
  void polls() {
    pay();
    host.polls(process, true);
  }

  /** It waits, and others get the processor. */
  void sleeps() {
    pay();
    host.polls(process, false);
    host.spin(process, false);
  }

  /** What it waited for is there: it does what was left for it to do, after it got a processor again if it slept. */
  void goesOn(boolean polled, long leftNs) {
    host.polls(process, false);
    occupy(leftNs, !polled);
    hasAccess();
  }

  /** What it waited for was there at once, or is now: if that was a fault it is over. */
  void hasAccess() {
    if (faultNs >= 0) {
      times.add(faultRights == Rights.WRITE, thread.nowNs() - faultNs);
      faultNs = -1;
      turnsTo(Spending.On.COMPUTING);
    }
  }

  private void occupy(long ns, boolean begins) {
    boolean[] isDone = new boolean[1];
    host.compute(process, ns, () -> {
      isDone[0] = true;
      thread.unpark();
    });
    if (begins) {
      host.spin(process, true);
    }
    do {
      thread.park();
    } while (!isDone[0]);
  }
}
