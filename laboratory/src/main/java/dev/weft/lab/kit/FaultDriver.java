package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.time.VirtualSystem;
import dev.weft.hca.node.VirtualFabric;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Carries out the faults of a plan, and ends them. It handles faults of cables itself, all others through the run. Faults of a node may overlap. A
 * fault ends only for the incarnation of the node in which it began; a crash ends all faults in between.
 */
public final class FaultDriver {
  /** The run under faults. Nodes are indices. */
  public interface Target {
    String nodeName(int node);

    /** Increases when a node dies. */
    default int incarnation(int node) {
      return 0;
    }

    /** Whether nothing more should happen, because a violation was found or everything is done. */
    boolean isDecided();

    /** Whether a fault may hit its node now. */
    default boolean mayBegin(Fault fault) {
      return true;
    }

    /**
     * A fault of any class begins; the driver itself handles cables.
     *
     * @param endNs virtual time of its end, {@link Fault#NEVER} if it does not end
     */
    default void begin(Fault fault, long endNs) {}

    /** A fault of any class ends; the driver itself handles cables. */
    default void end(Fault fault) {}

    /** The other nodes learn of a crash. */
    default void tell(Fault fault) {}
  }

  /** Kinds of actions; {@code TELL} lets the other nodes learn of a crash. */
  private enum Kind {
    BEGIN,
    TELL,
    END
  }

  private record Action(long atNs, Kind kind, Fault fault) {}

  private final Target target;
  private final FaultPlan plan;
  private final VirtualFabric fabric;
  private final VirtualSystem system;
  private final int nodes;
  private final int[] outwardCuts;
  private final int[] inwardCuts;
  private final Map<FaultClass, Integer> counts = new EnumMap<>(FaultClass.class);
  private final List<Action> actions = new ArrayList<>();
  /** The incarnation of its node in which each fault began. */
  private final Map<Fault, Integer> incarnations = new IdentityHashMap<>();
  private long startNs;

  /** A driver for the first {@code nodes} nodes, all of which the fabric has. */
  public FaultDriver(Target target, FaultPlan plan, VirtualFabric fabric, int nodes) {
    this.target = target;
    this.plan = plan;
    this.fabric = fabric;
    this.system = fabric.system();
    this.nodes = nodes;
    outwardCuts = new int[nodes];
    inwardCuts = new int[nodes];
    for (Fault fault : plan.faults()) {
      actions.add(new Action(fault.fromNs(), Kind.BEGIN, fault));
      if (fault.kind().isCrash()) {
        actions.add(new Action(fault.fromNs() + fault.amount(), Kind.TELL, fault));
      }
      if (fault.toNs() != Fault.NEVER) {
        actions.add(new Action(fault.toNs(), Kind.END, fault));
      }
    }
    actions.sort(Comparator.comparingLong(Action::atNs).thenComparing(Action::kind));
  }

  /** Number of faults of nodes that have begun, by class. */
  public Map<FaultClass, Integer> counts() {
    return counts;
  }

  /** Runs the simulation through all faults, to the end of the plan; stops at once when the run is decided. */
  public void run() {
    startNs = system.nowNs();
    for (int node = 0; node < nodes; node++) {
      setLinkFaults(node);
    }
    for (Action action : actions) {
      if (action.atNs() > plan.stopNs()) {
        break;
      }
      runTo(startNs + action.atNs());
      if (target.isDecided()) {
        return;
      }
      perform(action);
    }
    runTo(startNs + plan.stopNs());
  }

  /** Ends all faults of cables. */
  public void stopCables() {
    fabric.setFaults(LinkFaults.NONE);
    for (int node = 0; node < nodes; node++) {
      if (outwardCuts[node] + inwardCuts[node] > 0) {
        uncut(node);
        fabric.link(target.nodeName(node)).setPartitioned(false, false);
      }
    }
  }

  private void uncut(int node) {
    outwardCuts[node] = 0;
    inwardCuts[node] = 0;
  }

  /** A node has died, and its cable with it. */
  public void unplug(int node) {
    uncut(node);
  }

  /** A node was restarted, and its new cable gets the faults of the plan. */
  public void replug(int node) {
    setLinkFaults(node);
  }

  private void setLinkFaults(int node) {
    if ((plan.links() >> node & 1) != 0) {
      fabric.link(target.nodeName(node)).setFaults(plan.link());
    }
  }

  private void runTo(long timeNs) {
    if (timeNs > system.nowNs() && !target.isDecided()) {
      system.runUntil(target::isDecided, timeNs - system.nowNs());
    }
  }

  private void perform(Action action) {
    Fault fault = action.fault();
    Integer befallen = incarnations.get(fault);
    switch (action.kind()) {
      case BEGIN -> begin(fault);
      case TELL -> {
        if (befallen != null) {
          target.tell(fault);
        }
      }
      case END -> {
        if (befallen != null && (befallen == target.incarnation(fault.node()) || fault.kind().isCrash())) {
          end(fault);
        }
      }
    }
  }

  private void begin(Fault fault) {
    if (!target.mayBegin(fault)) {
      return;
    }
    incarnations.put(fault, target.incarnation(fault.node()));
    counts.merge(fault.kind(), 1, Integer::sum);
    target.begin(fault, fault.toNs() == Fault.NEVER ? Fault.NEVER : startNs + fault.toNs());
    switch (fault.kind()) {
      case LATENCY -> fabric.link(target.nodeName(fault.node())).setExtraDelay(fault.amount());
      case PARTITION -> cut(fault, 1);
      case LOSS, DUPLICATION, REORDERING, CORRUPTION -> throw new IllegalStateException(fault + " is a matter of cables");
      case SERVER_CRASH, CLIENT_CRASH, SLOW_SERVER, PAUSE, CONNECTION_LOSS, SERVER_RESTART, DISK -> { } // The run handles these.
    }
  }

  private void end(Fault fault) {
    target.end(fault);
    switch (fault.kind()) {
      case LATENCY -> fabric.link(target.nodeName(fault.node())).setExtraDelay(0);
      case PARTITION -> cut(fault, -1);
      case LOSS, DUPLICATION, REORDERING, CORRUPTION -> throw new IllegalStateException(fault + " is a matter of cables");
      case SERVER_CRASH, CLIENT_CRASH, SLOW_SERVER, PAUSE, CONNECTION_LOSS, SERVER_RESTART, DISK -> { } // The run handles these.
    }
  }

  private void cut(Fault fault, int change) {
    int node = fault.node();
    outwardCuts[node] += (fault.amount() & 1) != 0 ? change : 0;
    inwardCuts[node] += (fault.amount() & 2) != 0 ? change : 0;
    fabric.link(target.nodeName(node)).setPartitioned(outwardCuts[node] > 0, inwardCuts[node] > 0);
  }
}
