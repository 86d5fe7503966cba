package dev.weft.dsm.node;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * How a node leaves that has retired. When others have taken over what it was the home of ({@link Takeover}), it asks the homes of all minipages that it
 * has for word that others have them, too, and gives its locks back; then it may go. When another node is lost or retires meanwhile, what that one had
 * may be only here again, so all is asked for once more.
 *
 * <p>Used in the receive context. Bound: {@value #WINDOW} minipages are asked for at a time.
 */
final class Departure {
  static final int WINDOW = 64;

  private enum Stage {
    RETIRING,
    GIVING,
    GONE
  }

  private final Outbox outbox;
  private final IntUnaryOperator homeOf;
  private final Supplier<int[]> held;
  private final BooleanSupplier hasLocks;
  private final Runnable go;
  private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
  private final Set<Integer> asked = new HashSet<>();
  private Stage stage = Stage.RETIRING;
  private int round;

  /**
   * @param homeOf home of a minipage, or {@link NodeCore#NO_HOME}
   * @param held minipages that this node has, or is about to get
   * @param hasLocks whether locks are here
   * @param go told once, when nothing is left
   */
  Departure(Outbox outbox, IntUnaryOperator homeOf, Supplier<int[]> held, BooleanSupplier hasLocks, Runnable go) {
    this.outbox = outbox;
    this.homeOf = homeOf;
    this.held = held;
    this.hasLocks = hasLocks;
    this.go = go;
  }

  /** Homes move, because a node is lost or retires. */
  void onHomesMove() {
    if (stage != Stage.GONE) {
      stage = Stage.RETIRING;
      waiting.clear();
      asked.clear();
    }
  }

  /** All homes know who has what. */
  void onGathered() {
    if (stage == Stage.RETIRING) {
      stage = Stage.GIVING;
      round++;
      for (int minipage : held.get()) {
        waiting.add(minipage);
      }
      look();
    }
  }

  /** Others have a minipage, and will have it when this node is gone. */
  void onSafe(DsmMessage.Safe safe) {
    if (safe.round() == round && stage == Stage.GIVING) {
      asked.remove(safe.minipage());
      look();
    }
  }

  /** Goes on: asks for more, or goes. */
  void look() {
    if (stage != Stage.GIVING) {
      return;
    }
    asked.removeIf(minipage -> homeOf.applyAsInt(minipage) == NodeCore.NO_HOME); // Freed meanwhile.
    while (asked.size() < WINDOW && !waiting.isEmpty()) {
      int minipage = waiting.poll();
      int home = homeOf.applyAsInt(minipage);
      if (home != NodeCore.NO_HOME) {
        asked.add(minipage);
        outbox.send(home, new DsmMessage.Evacuate(minipage, 1, round));
      }
    }
    if (asked.isEmpty() && !hasLocks.getAsBoolean()) {
      stage = Stage.GONE;
      go.run();
    }
  }

  /** Whether all is done but that locks are here. */
  boolean waitsForLocksOnly() {
    return stage == Stage.GIVING && waiting.isEmpty() && asked.isEmpty() && hasLocks.getAsBoolean();
  }

  /** What is still to be given away. */
  int left() {
    return stage == Stage.RETIRING ? held.get().length : waiting.size() + asked.size();
  }
}
