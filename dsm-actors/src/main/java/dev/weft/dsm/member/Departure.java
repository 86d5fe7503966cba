package dev.weft.dsm.member;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/**
 * How a node leaves. First other nodes take over the objects that it is the home of ({@link Takeover}). Then it asks the homes of all its minipages
 * to report when other nodes have them, too, and returns its locks. Then it may go. If another node is lost or leaves meanwhile, this node may have
 * the only copy of a minipage again, so it asks for all minipages once more.
 *
 * <p>Used in the receive context. Bound: {@value #WINDOW} questions at a time.
 */
public final class Departure {
  public static final int WINDOW = 64;

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
   * @param go called once, when nothing is left
   */
  public Departure(Outbox outbox, IntUnaryOperator homeOf, Supplier<int[]> held, BooleanSupplier hasLocks, Runnable go) {
    this.outbox = outbox;
    this.homeOf = homeOf;
    this.held = held;
    this.hasLocks = hasLocks;
    this.go = go;
  }

  /** Homes move, because a node is lost or leaves. */
  public void onHomesMove() {
    if (stage != Stage.GONE) {
      stage = Stage.RETIRING;
      waiting.clear();
      asked.clear();
    }
  }

  /** All homes know the holders of their minipages. */
  public void onGathered() {
    if (stage == Stage.RETIRING) {
      stage = Stage.GIVING;
      round++;
      for (int minipage : held.get()) {
        waiting.add(minipage);
      }
      look();
    }
  }

  /** Other nodes have a minipage and will keep it when this node is gone. */
  public void onSafe(DsmMessage.Safe safe) {
    if (safe.round() == round && stage == Stage.GIVING) {
      asked.remove(safe.minipage());
      look();
    }
  }

  /** Continues: asks for more minipages, or goes. */
  public void look() {
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

  /** Whether the node only waits for its locks to be returned. */
  boolean waitsForLocksOnly() {
    return stage == Stage.GIVING && waiting.isEmpty() && asked.isEmpty() && hasLocks.getAsBoolean();
  }

  /** Number of minipages still to be given away. */
  public int left() {
    return stage == Stage.RETIRING ? held.get().length : waiting.size() + asked.size();
  }
}
