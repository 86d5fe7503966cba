package dev.weft.dsm.member;

import dev.weft.dsm.direct.DirectTables;
import dev.weft.dsm.direct.EntryTakeover;
import dev.weft.dsm.direct.SynchronousCore;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The directory entries of a node with the synchronous engine: its own, those that it takes over when another home is lost or leaves, and how it
 * gives its own away. Entries of other homes are closed, so a node that asks too early, or asks the wrong node, asks again.
 *
 * <p>Used in the receive context. Bound: a record for each minipage that moves, and {@value Departure#WINDOW} for each node that leaves.
 */
public final class DirectHomes {
  private static final long POLL_NS = 50_000;

  /** A minipage that a leaving node wants other nodes to have; {@code round} is that node's number of the question. */
  private record Wanted(int node, int minipage, int round) {}

  private final int self;
  private final DirectTables tables;
  private final MinipageMap minipages;
  private final Outbox outbox;
  private final SynchronousCore core;
  private final LongSupplier lost;
  private final LongSupplier absent;
  private final EntryTakeover takeover;
  private final Map<Integer, ObjectSpec> arrays = new HashMap<>();
  private final Set<Wanted> evacuating = new HashSet<>();
  /** Minipages whose entries this home has closed because it leaves. Their content is still valid. */
  private final BitSet closedHere = new BitSet();
  /** Bits of the lost nodes whose locks stay, because not all others know of the loss. */
  private long locking;
  private boolean isClosing;

  /**
   * @param lost bits of the nodes that are lost or have left
   * @param absent bits of these, and of the leaving nodes, which are the home of nothing any more
   */
  public DirectHomes(int self, DirectTables tables, MinipageMap minipages, Outbox outbox, SynchronousCore core, LongSupplier lost, LongSupplier absent) {
    this.self = self;
    this.tables = tables;
    this.minipages = minipages;
    this.outbox = outbox;
    this.core = core;
    this.lost = lost;
    this.absent = absent;
    this.takeover = new EntryTakeover(tables::unlock);
  }

  // Arrays.

  /** Adds an array. */
  public void add(ObjectSpec spec) {
    arrays.put(spec.id(), spec);
    for (int i = 0; i < spec.minipages(); i++) {
      int minipage = spec.firstMinipage() + i;
      // If the maker of the array did not know that this home leaves, this node has the first copy all the same, and reports it to the next home.
      if (isHome(spec, i) || isRetired() && spec.wasHome(self, i, absent.getAsLong())) {
        tables.own(minipage, self);
      }
      if (!isHome(spec, i) || isClosing) {
        tables.close(minipage);
        closedHere.set(minipage, isHome(spec, i));
      }
    }
  }

  void remove(ObjectSpec spec) {
    arrays.remove(spec.id());
    for (int i = 0; i < spec.minipages(); i++) {
      takeover.remove(spec.firstMinipage() + i);
      closedHere.clear(spec.firstMinipage() + i);
    }
  }

  private boolean isHome(ObjectSpec spec, int index) {
    return spec.homeOf(index, absent.getAsLong()) == self;
  }

  private boolean isRetired() {
    return (absent.getAsLong() & 1L << self) != 0;
  }

  /** Number of minipages whose home this node is; with {@code onlyLost}, of those that no node has. */
  public int count(boolean onlyLost) {
    int count = 0;
    for (ObjectSpec spec : arrays.values()) {
      for (int i = 0; i < spec.minipages(); i++) {
        int minipage = spec.firstMinipage() + i;
        count += isHome(spec, i) && (!onlyLost || tables.isLost(minipage) && !tables.isClosed(minipage)) ? 1 : 0;
      }
    }
    return count;
  }

  // Another home is lost or leaves.

  /** Homes have moved: the entries that this node takes over wait until all nodes have reported their rights. */
  public void takeOver(ObjectSpec spec) {
    for (int i = 0; i < spec.minipages(); i++) {
      int minipage = spec.firstMinipage() + i;
      if (isHome(spec, i) && tables.isClosed(minipage) && !closedHere.get(minipage)) {
        takeover.begin(minipage);
      }
    }
  }

  public void onHolds(DsmMessage.Holds held, int from) {
    takeover.onHolds(held.first(), held.count(), held.rights(), from);
  }

  void onWasTaking(DsmMessage.WasTaking was, int from) {
    takeover.onWasTaking(was.minipage(), was.owner(), was.copies(), was.lost(), from);
  }

  public void onGathered() {
    takeover.onGathered(lost.getAsLong());
  }

  /**
   * A node is lost. The entries that it had locked here stay locked until all others know of the loss ({@code isKnown}): it might live, and report
   * them itself.
   */
  void onNodeLost(int node, boolean isKnown) {
    locking |= 1L << node;
    if (isKnown) {
      free(node);
    }
  }

  /**
   * All others know that a node is lost or leaves. This node reports the entries that it had locked there, and frees the entries that the lost node
   * has locked here.
   */
  void report(int node) {
    for (SynchronousCore.GivenUp each : core.takeGivenUp(node)) {
      int home = minipages.homeOf(each.minipage());
      if (home != NodeCore.NO_HOME) {
        outbox.send(home, new DsmMessage.WasTaking(each.minipage(), each.owner(), each.copies(), each.lost()));
      }
    }
    if ((locking & 1L << node) != 0) {
      free(node);
    }
  }

  private void free(int node) {
    locking &= ~(1L << node);
    for (ObjectSpec spec : arrays.values()) {
      for (int i = 0; i < spec.minipages(); i++) {
        tables.freeOf(node, spec.firstMinipage() + i);
      }
    }
  }

  // This node leaves.

  /** No node may lock an entry here any more; see {@link #isClosed}. */
  public void close(String why) {
    isClosing = true;
    core.leave(why);
  }

  boolean isClosing() {
    return isClosing;
  }

  /**
   * Whether no entry here is locked and no fault of this node is running, so that the nodes' rights are the complete state.
   *
   * <p>A node that has locked an entry may wait for a thread that is inside and wants a later minipage of the array. That thread would wait for this
   * node, and this node for it. So this node closes no entry before its own faults have ended, and each entry only when it is free.
   */
  public boolean isClosed() {
    boolean all = core.isIdle();
    if (all) {
      for (ObjectSpec spec : arrays.values()) {
        all &= closeInOrder(spec);
      }
    }
    return all;
  }

  private boolean closeInOrder(ObjectSpec spec) {
    for (int i = 0; i < spec.minipages(); i++) {
      int minipage = spec.firstMinipage() + i;
      if (takeover.isGathering(minipage) || !tables.tryClose(minipage)) {
        return false;
      }
      closedHere.set(minipage, isHome(spec, i));
    }
    return true;
  }

  // Another node leaves.

  /** A leaving node asks that other nodes have these minipages, too. */
  public void onEvacuate(DsmMessage.Evacuate wanted, int from) {
    for (int minipage = wanted.first(); minipage < wanted.first() + wanted.count(); minipage++) {
      evacuating.add(new Wanted(from, minipage, wanted.round()));
    }
    look();
  }

  /** Continues with the questions of leaving nodes. */
  public void look() {
    for (Wanted wanted : List.copyOf(evacuating)) {
      boolean isHere = (lost.getAsLong() & 1L << wanted.node()) == 0;
      if (!isHere || isSafe(wanted.minipage())) {
        evacuating.remove(wanted);
        outbox.send(wanted.node(), new DsmMessage.Safe(wanted.minipage(), wanted.round()));
      } else if (!isClosing) {
        core.prefetch(wanted.minipage());
      }
    }
  }

  /**
   * Whether a node that stays has the minipage, or no node has it, or this node is not its home any more: in the last case the leaving node asks
   * again.
   */
  private boolean isSafe(int minipage) {
    int home = minipages.homeOf(minipage);
    if (home != self) {
      return true;
    }
    return tables.isFree(minipage) && (tables.isLost(minipage) || (tables.copiesAt(minipage) & ~absent.getAsLong()) != 0);
  }

  /** When {@link #look} or {@link #isClosed} must be called again; {@link SynchronousCore#NEVER} if there is no need. */
  long dueNs(long nowNs) {
    return evacuating.isEmpty() && (!isClosing || isRetired()) ? SynchronousCore.NEVER : nowNs + POLL_NS;
  }
}
