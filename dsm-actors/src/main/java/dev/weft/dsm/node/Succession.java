package dev.weft.dsm.node;

import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.home.HomeCore;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Homes of this node take the place of lost ones, and others are told what this node has of what lost ones looked after: {@link Takeover}. */
final class Succession {
  private final CheckedAccess access;
  private final MinipageMap minipages;
  private final Supplier<List<ObjectSpec>> arrays;
  private final NodeCore core;
  private final HomeCore homes;
  private final SyncRoles sync;
  private final Outbox outbox;
  private final LongSupplier lost;
  private final Takeover takeover;

  Succession(int self, CheckedAccess access, MinipageMap minipages, Supplier<List<ObjectSpec>> arrays, NodeCore core, HomeCore homes, SyncRoles sync,
      Peers peers, LongSupplier lost) {
    this.access = access;
    this.minipages = minipages;
    this.arrays = arrays;
    this.core = core;
    this.homes = homes;
    this.sync = sync;
    this.outbox = peers;
    this.lost = lost;
    this.takeover = new Takeover(self, peers, node -> !peers.isReading(minipage -> minipages.wasHomeAmong(1L << node, minipage)), this::report, () -> {
      homes.onGathered();
      sync.onGathered();
    });
  }

  /** A node is lost; {@code others} are those that live. */
  void begin(int node, long others) {
    takeover.begin(node, others);
    arrays.get().forEach(spec -> homes.takeOver(spec, lost.getAsLong()));
  }

  void onGone(int node, int from) {
    takeover.onGone(node, from);
  }

  void onEnd(int node, int from) {
    takeover.onEnd(node, from);
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
      homes.onHolds(held.first(), held.count(), held.rights(), from);
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
    sync.report(node);
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
    return spec.wasHome(node, index, lost.getAsLong()) ? access.rights(spec.firstMinipage() + index) : Rights.NONE;
  }
}
