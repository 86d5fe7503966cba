package dev.weft.dsm.member;

import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.access.PageTable;
import dev.weft.dsm.events.InvalidateEvent;
import dev.weft.dsm.net.Peers;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.function.LongSupplier;

/** The home of each minipage, its place in the frames, and its name for users. Used in the receive context. */
public final class MinipageMap implements Peers.Layout {
  private final CheckedAccess access;
  private final LongSupplier lost;

  /** @param lost bits of the nodes that are lost */
  public MinipageMap(CheckedAccess access, LongSupplier lost) {
    this.access = access;
    this.lost = lost;
  }

  /** The home, if it has not moved, or {@link NodeCore#NO_HOME}. */
  int homeOf(int minipage) {
    PageTable table = access.tableOf(minipage);
    if (table == null) {
      return NodeCore.NO_HOME;
    }
    return table.spec().homeOf(minipage - table.spec().firstMinipage(), lost.getAsLong());
  }

  /** Whether the home moves to a node that writes the minipage. */
  boolean isDynamic(int minipage) {
    PageTable table = access.tableOf(minipage);
    return table != null && table.spec().isDynamic();
  }

  /** Whether one of these lost nodes was the home, or may have been. */
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
   * Checks that an order that takes or gives rights comes from the home. A home sends such orders only to a node that has sent it a request, a
   * confirmation or a report, so both know the same losses and agree on the home. Homes that move are not checked, because this node need not know
   * yet which node became the home. Other orders are not checked either: a pushed copy may come from a home that knows more losses.
   *
   * @throws IllegalArgumentException if it comes from another node; never for minipages that do not exist any more
   */
  void requireHome(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.ForwardRead m -> requireHome(from, m.minipage());
      case DsmMessage.ForwardWrite m -> requireHome(from, m.minipage());
      case DsmMessage.Invalidate m -> requireHome(from, m.minipage());
      case DsmMessage.Grant m -> requireHome(from, m.minipage());
      default -> { } // Changes no rights here, or not by a home's order alone.
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

  /** Checks the place of an object, by which threads access the frames. */
  static void checkPlace(ObjectSpec spec, long memoryBytes) {
    if (spec.homes() == 0 || spec.kind().isArray() && (spec.length() < 1 || spec.length() > memoryBytes || spec.strideBytes() < 8
        || spec.strideBytes() % 8 != 0 || spec.offset() < 0 || spec.offset() % 8 != 0 || spec.offset() > memoryBytes - spec.bytes()
        || spec.firstMinipage() < 0 || spec.firstMinipage() > Integer.MAX_VALUE - spec.minipages())) {
      throw new IllegalArgumentException(spec + " cannot be in " + memoryBytes + " bytes");
    }
  }

  /** Fills in the array, the minipage and the node of an event. */
  void describe(InvalidateEvent event, int minipage, int self) {
    PageTable table = access.tableOf(minipage);
    event.array = table == null ? "" : table.spec().name();
    event.minipage = table == null ? minipage : minipage - table.spec().firstMinipage();
    event.node = self;
  }

  /** A name by which users find the minipage in their program. */
  public String nameOf(int minipage) {
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
