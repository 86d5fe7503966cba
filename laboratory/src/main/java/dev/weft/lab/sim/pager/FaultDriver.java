package dev.weft.lab.sim.pager;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Makes the faults of a plan happen, and takes them back. */
final class FaultDriver {
  /** Something to be done at a moment; {@code TELL} is when the others learn of a crash. */
  private enum Kind {
    BEGIN,
    TELL,
    END
  }

  private record Action(long atNs, Kind kind, Fault fault) {}

  private final ClusterRun run;
  private final ClusterFaultPlan plan;
  private final VirtualFabric fabric;
  private final VirtualSystem system;
  private final Outages outages;
  private final Map<FaultClass, Integer> counts = new EnumMap<>(FaultClass.class);
  private final List<Action> actions = new ArrayList<>();
  private final Map<Fault, Integer> incarnations = new java.util.IdentityHashMap<>();
  private long startNs;

  FaultDriver(ClusterRun run, ClusterFaultPlan plan, VirtualFabric fabric, Outages outages) {
    this.run = run;
    this.plan = plan;
    this.fabric = fabric;
    this.system = fabric.system();
    this.outages = outages;
    for (Fault fault : plan.faults()) {
      actions.add(new Action(fault.fromNs(), Kind.BEGIN, fault));
      if (isCrash(fault)) {
        actions.add(new Action(fault.fromNs() + fault.amount(), Kind.TELL, fault));
      }
      if (fault.toNs() != Fault.NEVER) {
        actions.add(new Action(fault.toNs(), Kind.END, fault));
      }
    }
    actions.sort(Comparator.comparingLong(Action::atNs).thenComparing(Action::kind));
  }

  private static boolean isCrash(Fault fault) {
    return fault.kind() == FaultClass.SERVER_CRASH || fault.kind() == FaultClass.CLIENT_CRASH;
  }

  Map<FaultClass, Integer> counts() {
    return counts;
  }

  /** Runs the simulation through all faults; ends at once when something was found. */
  void run() {
    startNs = system.nowNs();
    for (SimHost host : run.hosts()) {
      setLinkFaults(host, plan.link());
    }
    for (Action action : actions) {
      runTo(startNs + action.atNs());
      if (run.isBroken()) {
        return;
      }
      perform(action);
    }
    runTo(startNs + plan.stopNs());
  }

  private void setLinkFaults(SimHost host, LinkFaults faults) {
    if ((plan.links() >> host.index & 1) != 0) {
      fabric.link(host.name).setFaults(faults);
    }
  }

  private void runTo(long timeNs) {
    if (timeNs > system.nowNs()) {
      system.runUntil(run::isBroken, timeNs - system.nowNs());
    }
  }

  /** Every fault is over; who is dead stays so. */
  void stop() {
    run.startServersThatAreNeeded();
    fabric.setFaults(LinkFaults.NONE);
    run.note("all faults are over");
  }

  private void perform(Action action) {
    Fault fault = action.fault();
    SimHost host = run.hosts().get(fault.node());
    boolean isSame = !incarnations.containsKey(fault) || incarnations.get(fault) == host.incarnation;
    switch (action.kind()) {
      case BEGIN -> begin(fault, host);
      case TELL -> {
        if (incarnations.containsKey(fault)) {
          run.note("everybody learns that " + host.name + " is gone");
          fabric.loseNode(host.name);
        }
      }
      case END -> {
        if (incarnations.containsKey(fault) && (isSame || isCrash(fault))) {
          run.note(fault.kind().option() + " of " + host.name + " ends");
          end(fault, host);
        }
      }
    }
  }

  private void begin(Fault fault, SimHost host) {
    boolean standsStill = host.pauses > 0 && fault.kind() == FaultClass.SERVER_RESTART;
    if (host.isDown || standsStill) {
      return;
    }
    incarnations.put(fault, host.incarnation);
    counts.merge(fault.kind(), 1, Integer::sum);
    run.note(fault.kind().option() + " of " + host.name + " begins: " + fault);
    long nowNs = system.nowNs();
    long endNs = fault.toNs() == Fault.NEVER ? Fault.NEVER : startNs + fault.toNs();
    if (fault.kind() != FaultClass.LATENCY) {
      outages.add(host.index, fault.kind(), nowNs, endNs);
    }
    switch (fault.kind()) {
      case LATENCY -> fabric.link(host.name).setExtraDelay(fault.amount());
      case PARTITION -> cut(host, fault, 1);
      case SLOW_SERVER -> {
        if (fault.amount() == Fault.FOR_EVER) {
          system.pause(host.serverPath());
        } else {
          system.slow(host.serverPath(), fault.amount());
        }
      }
      case PAUSE -> {
        host.pauses++;
        host.stoodStill = true;
        system.pause(host.path());
      }
      case SERVER_CRASH, CLIENT_CRASH -> run.crash(host);
      case SERVER_RESTART -> run.restartServer(host);
      case CONNECTION_LOSS -> {
        if (host.client.device() != null) {
          host.client.device().dropConnection((int) fault.amount());
        }
      }
      case LOSS, DUPLICATION, REORDERING, CORRUPTION -> throw new IllegalStateException(fault + " is a matter of cables");
    }
  }

  private void end(Fault fault, SimHost host) {
    switch (fault.kind()) {
      case LATENCY -> fabric.link(host.name).setExtraDelay(0);
      case PARTITION -> cut(host, fault, -1);
      case SLOW_SERVER -> system.resume(host.serverPath());
      case PAUSE -> {
        if (--host.pauses == 0) {
          system.resume(host.path());
        }
      }
      case SERVER_CRASH, CLIENT_CRASH -> {
        run.restart(host);
        setLinkFaults(host, plan.link());
      }
      case CONNECTION_LOSS, SERVER_RESTART -> { } // They last no time.
      case LOSS, DUPLICATION, REORDERING, CORRUPTION -> throw new IllegalStateException(fault + " is a matter of cables");
    }
  }

  private void cut(SimHost host, Fault fault, int change) {
    host.outwardCuts += (fault.amount() & 1) != 0 ? change : 0;
    host.inwardCuts += (fault.amount() & 2) != 0 ? change : 0;
    fabric.link(host.name).setPartitioned(host.outwardCuts > 0, host.inwardCuts > 0);
  }
}
