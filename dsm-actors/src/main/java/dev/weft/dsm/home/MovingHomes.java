package dev.weft.dsm.home;

import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.DsmMessage.Wanted;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * Finds the homes of minipages, also of those whose home moves to the last writer. Such a home starts at its anchor, the node that would be the home
 * if it did not move. When a write is confirmed, the home moves to the writer in one message ({@link DsmMessage.HomeMoves}); waiting requests follow
 * on the same connection. A node that is not the home passes a request on to the youngest home that it knows ({@link HomeHints}). That node became
 * the home later, so a request only goes forward in time, and ends when it is faster than the home.
 *
 * <p>When a node is lost or leaves, all homes return to their anchors ({@link #reset}), which then collect the rights of all nodes.
 *
 * <p>Used in the receive context. No method waits.
 */
public final class MovingHomes implements HomeCore.Succession {
  /** Limit of the number of hops, which has one byte in messages. A home does not outrun a request 127 times in a row. */
  static final int HOPS_MAX = Byte.MAX_VALUE;
  /** There is no home: the array was freed. */
  public static final int NO_HOME = -1;

  private final int self;
  private final HomeCore homes;
  private final Outbox outbox;
  private final IntPredicate isDynamic;
  private final IntUnaryOperator anchorOf;
  private final BooleanSupplier mayMove;
  private final HomeHints hints = new HomeHints();
  /** Bits of the nodes that have sent a request here: they know all losses that this node knows. */
  private long askers;
  private long forwarded;
  private long moves;

  /**
   * @param isDynamic whether the home of a minipage moves
   * @param anchorOf the anchor of a minipage; negative if the minipage no longer exists
   * @param mayMove whether homes may move now; false while a node is about to leave, because that node asks the anchors
   */
  public MovingHomes(int self, HomeCore homes, Outbox outbox, IntPredicate isDynamic, IntUnaryOperator anchorOf, BooleanSupplier mayMove) {
    this.self = self;
    this.homes = homes;
    this.outbox = outbox;
    this.isDynamic = isDynamic;
    this.anchorOf = anchorOf;
    this.mayMove = mayMove;
    homes.moveBy(this);
  }

  /** The node to ask for a minipage: the last known home, or the anchor. Negative if the minipage no longer exists. */
  public int homeOf(int minipage) {
    int anchor = anchorOf.applyAsInt(minipage);
    if (anchor < 0 || !isDynamic.test(minipage)) {
      return anchor;
    }
    return homes.has(minipage) ? self : hints.get(minipage, anchor);
  }

  /** Records that {@code node} was the home during operation {@code op}. */
  private void learn(int minipage, int node, int op) {
    if (node != self && node >= 0 && isDynamic.test(minipage)) {
      hints.learn(minipage, node, op);
    }
  }

  /** Learns the home from a message that a home sent, or that names it. */
  public void see(int from, DsmMessage message) {
    switch (message) {
      case DsmMessage.ForwardRead m -> learn(m.minipage(), from, m.op());
      case DsmMessage.ForwardWrite m -> learn(m.minipage(), from, m.op());
      case DsmMessage.Invalidate m -> learn(m.minipage(), from, m.op());
      case DsmMessage.Grant m -> learn(m.minipage(), from, m.op());
      case DsmMessage.Fetch m -> learn(m.minipage(), from, m.op());
      case DsmMessage.HomeIs m -> learn(m.minipage(), from, m.op());
      case DsmMessage.Data m -> learn(m.minipage(), m.home(), m.op());
      default -> { } // Other messages do not show the home.
    }
  }

  /** A node wants a minipage; the words are those that its threads want. */
  public void onRequest(int minipage, int from, boolean isWrite, int firstWord, int lastWord) {
    askers |= HomeEntry.bit(from);
    int hops = from == self ? 0 : 1;
    if (!isDynamic.test(minipage)) {
      homes.onRequest(minipage, from, isWrite, firstWord, lastWord, hops);
    } else {
      onSought(new DsmMessage.Sought(minipage, from, isWrite ? Wanted.WRITE : Wanted.READ, firstWord, lastWord, (byte) (hops - 1), 0, false));
    }
  }

  /** A node asks that all nodes get a copy. */
  public void onPush(int minipage, int from) {
    if (isDynamic.test(minipage)) {
      onSought(new DsmMessage.Sought(minipage, from, Wanted.PUSH, -1, -1, (byte) (from == self ? -1 : 0), 0, true));
    } else {
      homes.onPush(minipage, -1L);
    }
  }

  /**
   * A request that looks for its home has arrived here.
   *
   * @throws IllegalArgumentException if it took more hops than possible
   */
  public void onSought(DsmMessage.Sought sought) {
    askers |= HomeEntry.bit(sought.requester());
    if (homes.has(sought.minipage())) {
      if (sought.wanted() == Wanted.PUSH) {
        homes.onPush(sought.minipage(), askers);
      } else {
        homes.onRequest(sought, sought.hops() + 1);
      }
      return;
    }
    int next = homeOf(sought.minipage());
    if (next < 0 || next == self) {
      return; // Freed meanwhile; the requester learns it from the free.
    }
    if (sought.hops() + 1 >= HOPS_MAX) {
      throw new IllegalArgumentException("the home of minipage " + sought.minipage() + " was not found in " + HOPS_MAX + " hops");
    }
    forwarded++;
    outbox.send(next, new DsmMessage.Sought(sought.minipage(), sought.requester(), sought.wanted(), sought.firstWord(), sought.lastWord(),
        (byte) (sought.hops() + 1), sought.path() | HomeEntry.bit(self), sought.isKnown()));
  }

  /** This node becomes the home of a minipage and has the only copy. */
  public void onMoves(DsmMessage.HomeMoves move) {
    if (anchorOf.applyAsInt(move.minipage()) < 0) {
      return; // Freed meanwhile.
    }
    homes.receive(move);
    long others = move.path() & ~HomeEntry.bit(self);
    for (long left = others; left != 0; left &= left - 1) {
      outbox.send(Long.numberOfTrailingZeros(left), new DsmMessage.HomeIs(move.minipage(), move.op()));
    }
  }

  @Override
  public boolean follows(int minipage, int writer) {
    return writer != self && isDynamic.test(minipage) && mayMove.getAsBoolean();
  }

  @Override
  public void moved(int minipage, HomeEntry entry, HomeEntry.Request served, long takenFrom) {
    moves++;
    int next = served.from();
    hints.learn(minipage, next, entry.op);
    outbox.send(next, new DsmMessage.HomeMoves(minipage, entry.op, served.path() & ~HomeEntry.bit(self), takenFrom));
    for (HomeEntry.Request each : entry.waiting) {
      outbox.send(next, new DsmMessage.Sought(minipage, each.from(), each.isWrite() ? Wanted.WRITE : Wanted.READ, -1, -1, (byte) each.hops(), each.path(),
          true));
    }
  }

  /** A node is lost or leaves: all homes are at their anchors again, so this node drops its hints. */
  public void reset() {
    hints.forget(isDynamic);
    askers = 0;
  }

  /** Forgets an array. */
  public void remove(int firstMinipage, int count) {
    hints.forget(minipage -> minipage >= firstMinipage && minipage < firstMinipage + count);
  }

  /** How often a home moved from this node to a writer. */
  public long moves() {
    return moves;
  }

  /** Number of requests that this node passed on. */
  public long forwarded() {
    return forwarded;
  }

  /** Number of the youngest hint for a minipage, for checkers; -1 if there is none. */
  int hintOf(int minipage) {
    return hints.opOf(minipage);
  }

  /** Appends the hint for a minipage except its number ({@link #hintOf}), for checkers. */
  void appendState(int minipage, StringBuilder to) {
    to.append('>').append(hints.get(minipage, NO_HOME));
  }

  /** Bits of the nodes that a push of this node reaches, for checkers. */
  long askers() {
    return askers;
  }
}
