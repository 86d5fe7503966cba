package dev.weft.dsm.member;

import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.home.MovingHomes;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The homes of this node take the place of lost ones, and this node reports its rights to the homes that replace lost ones: {@link Takeover}. */
public final class Succession {
  private final CheckedAccess access;
  private final MinipageMap minipages;
  private final Supplier<List<ObjectSpec>> arrays;
  private final NodeCore core;
  private final HomeCore homes;
  private final MovingHomes moving;
  private final Peers peers;
  /** Null with the request engine. */
  private final DirectEngine direct;
  private final SyncRoles sync;
  private final Outbox outbox;
  private final LongSupplier lost;
  private final Takeover takeover;
  private final IntConsumer reported;

  /**
   * @param reported called when this node has reported its rights to objects of a lost node, for further reports
   * @param gathered called when all nodes have reported everything
   */
  Succession(int self, CheckedAccess access, MinipageMap minipages, Supplier<List<ObjectSpec>> arrays, NodeCore core, HomeCore homes,
      MovingHomes moving, DirectEngine direct, SyncRoles sync, Outbox outbox, Peers peers, LongSupplier lost, IntConsumer reported, Runnable gathered) {
    this.reported = reported;
    this.access = access;
    this.minipages = minipages;
    this.arrays = arrays;
    this.core = core;
    this.homes = homes;
    this.moving = moving;
    this.peers = peers;
    this.direct = direct;
    this.sync = sync;
    this.outbox = outbox;
    this.lost = lost;
    this.takeover = new Takeover(self, outbox, node -> !peers.isReading(minipage -> minipages.wasHomeAmong(1L << node, minipage))
        && (direct == null || !direct.core().hasHomeless()), this::report, () -> {
      homes.onGathered();
      if (direct != null) {
        direct.homes().onGathered();
      }
      sync.onGathered();
      gathered.run();
    });
  }

  /** A node is lost; {@code others} are bits of the live nodes. */
  void begin(int node, long others) {
    boolean areMoving = takeover.begin(node, others);
    if (areMoving) {
      reset();
    }
    arrays.get().stream().filter(spec -> areMoving || !spec.isDynamic()).forEach(this::takeOver);
  }

  /** A node, possibly this one, is about to leave; {@code others} are bits of all other live nodes. */
  void retire(int node, long others) {
    takeover.retire(node, others);
    reset();
    arrays.get().forEach(this::takeOver);
  }

  /** Moving homes are at their anchors again; pending messages of this node to itself about them are void. */
  private void reset() {
    moving.reset();
    peers.dropLocal(this::isOfMovingHome);
  }

  private boolean isOfMovingHome(DsmMessage message) {
    return message instanceof DsmMessage.OfMinipage of && minipages.isDynamic(of.minipage());
  }

  /** Whether a node has not confirmed yet that it knows all losses that this node knows. */
  boolean isUnaware(int node) {
    return (takeover.unaware() & 1L << node) != 0;
  }

  /**
   * Whether a message is about a moving home and its sender has not confirmed yet that it knows all losses that this node knows. Such a sender
   * addresses homes at their former places. Data counts all the same, because its sender does not have it any more.
   */
  boolean isVoid(int from, DsmMessage message) {
    return isUnaware(from) && !(message instanceof DsmMessage.Data) && isOfMovingHome(message);
  }

  /** Adds the minipages of a new array whose home this node is; returns them. */
  List<Integer> add(ObjectSpec spec) {
    List<Integer> added = homes.add(spec, lost.getAsLong());
    if (spec.isDynamic() && !takeover.isOver()) {
      homes.serveLater(added);
    }
    return added;
  }

  /** A node has been connected; it has been told of the {@code leaving} nodes. */
  void onConnected(int node, long leaving) {
    takeover.onConnected(node, leaving);
  }

  private void takeOver(ObjectSpec spec) {
    if (direct == null) {
      homes.takeOver(spec, lost.getAsLong());
    } else {
      direct.homes().takeOver(spec);
    }
  }

  /** Whether all others know that a node is lost or leaves, and this node has reported its rights. */
  boolean isReported(int node) {
    return (takeover.unreported() & 1L << node) == 0;
  }

  /** A leaving node has left. */
  void left(int node) {
    takeover.left(node);
  }

  void onGone(int node, int from) {
    takeover.onGone(node, from);
  }

  void onEnd(int node, int from) {
    takeover.onEnd(node, from);
  }

  /** Whether this node has reported its rights to objects of all lost nodes. */
  boolean isReported() {
    return takeover.unreported() == 0;
  }

  void look() {
    takeover.look();
  }

  /** A node reports its rights. */
  void onHolds(DsmMessage.Holds held, int from) {
    PageTable table = access.tableOf(held.first());
    if (held.count() < 1 || held.rights() != Rights.READ && held.rights() != Rights.WRITE) {
      throw new IllegalArgumentException("its number of minipages or its rights are invalid");
    }
    if (table != null && held.count() <= table.spec().firstMinipage() + table.spec().minipages() - held.first()) { // Otherwise it was freed.
      if (direct == null) {
        homes.onHolds(held.first(), held.count(), held.rights(), from);
      } else {
        direct.homes().onHolds(held, from);
      }
    }
  }

  /** Whether a minipage has lost its home, and the next home does not know yet what this node has. */
  boolean isMoving(int minipage) {
    long unreported = takeover.unreported();
    return unreported != 0 && minipages.wasHomeAmong(unreported, minipage);
  }

  /** Reports this node's rights to objects of a lost home; then its threads may ask. */
  private void report(int node) {
    arrays.get().forEach(spec -> reportRuns(spec, node));
    if (direct != null) {
      direct.homes().report(node);
    }
    sync.report(node, takeover.unreported());
    reported.accept(node);
    core.resume();
    sync.resume(takeover.unreported());
  }

  /** Neighbours with the same rights and the same home are reported in one message. */
  private void reportRuns(ObjectSpec spec, int node) {
    int begin = 0;
    while (begin < spec.minipages()) {
      byte rights = heldOf(spec, begin, node);
      int home = spec.homeOf(begin, lost.getAsLong());
      int end = begin + 1;
      while (end < spec.minipages() && heldOf(spec, end, node) == rights && spec.homeOf(end, lost.getAsLong()) == home) {
        end++;
      }
      if (rights != Rights.NONE) {
        outbox.send(home, new DsmMessage.Holds(spec.firstMinipage() + begin, end - begin, rights));
      }
      begin = end;
    }
  }

  /** Rights to a minipage whose home moves; none for other minipages. */
  private byte heldOf(ObjectSpec spec, int index, int node) {
    return spec.movesWith(node, index, lost.getAsLong()) ? access.rights(spec.firstMinipage() + index) : Rights.NONE;
  }
}
