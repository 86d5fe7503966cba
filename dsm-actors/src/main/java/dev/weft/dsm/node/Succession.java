package dev.weft.dsm.node;

import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.home.MovingHomes;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Homes of this node take the place of lost ones, and others are told what this node has of what lost ones looked after: {@link Takeover}. */
final class Succession {
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
   * @param reported told when this node has said what it has of what a lost node looked after, and may say more
   * @param gathered told when all has been said by all
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

  /** A node is lost; {@code others} are those that live. */
  void begin(int node, long others) {
    boolean areMoving = takeover.begin(node, others);
    if (areMoving) {
      reset();
    }
    arrays.get().stream().filter(spec -> areMoving || !spec.isDynamic()).forEach(this::takeOver);
  }

  /** A node retires, maybe this one; {@code others} are all others that live. */
  void retire(int node, long others) {
    takeover.retire(node, others);
    reset();
    arrays.get().forEach(this::takeOver);
  }

  /** Homes that move are at their anchors again; what this node had told itself before is void. */
  private void reset() {
    moving.reset();
    peers.dropLocal(this::isOfMovingHome);
  }

  private boolean isOfMovingHome(DsmMessage message) {
    return message instanceof DsmMessage.OfMinipage of && minipages.isDynamic(of.minipage());
  }

  /** Whether a node has not said yet that it knows of all losses that this one knows of. */
  boolean isUnaware(int node) {
    return (takeover.unaware() & 1L << node) != 0;
  }

  /**
   * Whether a message is about a home that moves, from a node that has not said yet that it knows of all losses that this one knows of: then its sender
   * knows such homes where they are no more. Data counts all the same, its sender has it no more.
   */
  boolean isVoid(int from, DsmMessage message) {
    return isUnaware(from) && !(message instanceof DsmMessage.Data) && isOfMovingHome(message);
  }

  /** Takes the minipages of a new array whose home this node is; answers them. */
  List<Integer> add(ObjectSpec spec) {
    List<Integer> added = homes.add(spec, lost.getAsLong());
    if (spec.isDynamic() && !takeover.isOver()) {
      homes.serveLater(added);
    }
    return added;
  }

  /** A node has been connected; {@code leaving} has been told of those that are about to leave. */
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

  /** Whether all others know that a node is lost, or retires, and this one has said what it has. */
  boolean isReported(int node) {
    return (takeover.unreported() & 1L << node) == 0;
  }

  /** A node that had retired has left. */
  void left(int node) {
    takeover.left(node);
  }

  void onGone(int node, int from) {
    takeover.onGone(node, from);
  }

  void onEnd(int node, int from) {
    takeover.onEnd(node, from);
  }

  /** Whether this node has said all that it has of what lost nodes looked after. */
  boolean isReported() {
    return takeover.unreported() == 0;
  }

  void look() {
    takeover.look();
  }

  /** A node says what it has. */
  void onHolds(DsmMessage.Holds held, int from) {
    PageTable table = access.tableOf(held.first());
    if (held.count() < 1 || held.rights() != Rights.READ && held.rights() != Rights.WRITE) {
      throw new IllegalArgumentException("nobody can have that");
    }
    if (table != null && held.count() <= table.spec().firstMinipage() + table.spec().minipages() - held.first()) { // Otherwise it was freed.
      if (direct == null) {
        homes.onHolds(held.first(), held.count(), held.rights(), from);
      } else {
        direct.homes().onHolds(held, from);
      }
    }
  }

  /** Whether a minipage has lost its home, and the next one does not know yet what this node has. */
  boolean isMoving(int minipage) {
    long unreported = takeover.unreported();
    return unreported != 0 && minipages.wasHomeAmong(unreported, minipage);
  }

  /** What this node has of what a lost node was the home of; then its threads may ask. */
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

  /** Neighbours with the same rights and the same home are said at once. */
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

  /** Rights in a minipage that moves; none in others. */
  private byte heldOf(ObjectSpec spec, int index, int node) {
    return spec.movesWith(node, index, lost.getAsLong()) ? access.rights(spec.firstMinipage() + index) : Rights.NONE;
  }
}
