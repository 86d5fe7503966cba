package dev.weft.dsm.node;

import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.events.InvalidateEvent;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.function.LongSupplier;

/** Of each minipage: its home, where it is in the frames, and what people call it. Used in the receive context. */
final class MinipageMap implements Peers.Layout {
  private final CheckedAccess access;
  private final LongSupplier lost;

  /** @param lost bits of the nodes that are lost */
  MinipageMap(CheckedAccess access, LongSupplier lost) {
    this.access = access;
    this.lost = lost;
  }

  /** The node that is its home if that has not moved, or {@link NodeCore#NO_HOME}. */
  int homeOf(int minipage) {
    PageTable table = access.tableOf(minipage);
    if (table == null) {
      return NodeCore.NO_HOME;
    }
    return table.spec().homeOf(minipage - table.spec().firstMinipage(), lost.getAsLong());
  }

  /** Whether its home moves to who writes it. */
  boolean isDynamic(int minipage) {
    PageTable table = access.tableOf(minipage);
    return table != null && table.spec().isDynamic();
  }

  /** Whether one of these lost nodes was its home, or might have been. */
  boolean wasHomeAmong(long nodes, int minipage) {
    PageTable table = access.tableOf(minipage);
    for (long left = table == null ? 0 : nodes; left != 0; left &= left - 1) {
      if (table.spec().movesWith(Long.numberOfTrailingZeros(left), minipage - table.spec().firstMinipage(), lost.getAsLong())) {
        return true;
      }
    }
    return false;
  }

  /**
   * What takes rights or gives them comes from the home: a home does so only with a node that has asked it, confirmed to it or said to it what it has, so
   * both know of the same losses and see the same home. Homes that move are not looked at: who has become one need not have been heard of here.
   * Nor are other orders: a copy that is pushed here can come from one that knows of more losses.
   *
   * @throws IllegalArgumentException if it comes from another node; nothing is said about minipages that are not there any more
   */
  void requireHome(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.ForwardRead m -> requireHome(from, m.minipage());
      case DsmMessage.ForwardWrite m -> requireHome(from, m.minipage());
      case DsmMessage.Invalidate m -> requireHome(from, m.minipage());
      case DsmMessage.Grant m -> requireHome(from, m.minipage());
      default -> { } // Changes no rights that are here, or not on the word of a home alone.
    }
  }

  private void requireHome(int from, int minipage) {
    int home = isDynamic(minipage) ? from : homeOf(minipage);
    if (home != from && home != NodeCore.NO_HOME) {
      throw new IllegalArgumentException("the home of " + nameOf(minipage) + " is node " + home);
    }
  }

  @Override
  public long offsetOf(int minipage) {
    PageTable table = access.tableOf(minipage);
    return table == null ? 0 : table.spec().offset() + (minipage - table.spec().firstMinipage()) * table.spec().strideBytes();
  }

  @Override
  public long bytesOf(int minipage) {
    PageTable table = access.tableOf(minipage);
    return table == null ? 0 : table.spec().minipageBytes(minipage - table.spec().firstMinipage());
  }

  /** Threads access the frames by what it says. */
  static void checkPlace(ObjectSpec spec, long memoryBytes) {
    if (spec.homes() == 0 || spec.kind().isArray() && (spec.length() < 1 || spec.length() > memoryBytes || spec.strideBytes() < 8
        || spec.strideBytes() % 8 != 0 || spec.offset() < 0 || spec.offset() % 8 != 0 || spec.offset() > memoryBytes - spec.bytes()
        || spec.firstMinipage() < 0 || spec.firstMinipage() > Integer.MAX_VALUE - spec.minipages())) {
      throw new IllegalArgumentException(spec + " cannot be in " + memoryBytes + " bytes");
    }
  }

  /** Says in an event which minipage of which array it is about, and at which node. */
  void describe(InvalidateEvent event, int minipage, int self) {
    PageTable table = access.tableOf(minipage);
    event.array = table == null ? "" : table.spec().name();
    event.minipage = table == null ? minipage : minipage - table.spec().firstMinipage();
    event.node = self;
  }

  /** As people find it in their program. */
  String nameOf(int minipage) {
    PageTable table = access.tableOf(minipage);
    if (table == null) {
      return "minipage " + minipage;
    }
    ObjectSpec spec = table.spec();
    long perMinipage = spec.strideBytes() / spec.kind().elementBytes();
    long first = (minipage - spec.firstMinipage()) * perMinipage;
    return "elements " + first + " to " + (Math.min(first + perMinipage, spec.length()) - 1) + " of \"" + spec.name() + "\"";
  }
}
