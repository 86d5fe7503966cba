package dev.weft.dsm.home;

import dev.weft.dsm.wire.DsmMessage;

/** Lets checkers in other packages see all that a home knows. */
public final class HomeState {
  private HomeState() {}

  /** Number of what the home does with a minipage now. */
  public static int op(HomeCore home, int minipage) {
    return home.op(minipage);
  }

  /** Makes it the home of a minipage, as if that had moved. */
  public static void receive(HomeCore home, DsmMessage.HomeMoves move) {
    home.receive(move);
  }

  /** Whether it is the home of a minipage. */
  public static boolean isHome(HomeCore home, int minipage) {
    return home.has(minipage);
  }

  /** How young what a node knows of the home of a minipage is; -1 if it knows nothing. */
  public static int hintOf(MovingHomes moving, int minipage) {
    return moving.hintOf(minipage);
  }

  /** Bits of the nodes that a push reaches. */
  public static long askers(MovingHomes moving) {
    return moving.askers();
  }

  /** Appends where a node looks for the home of a minipage, but for that number. */
  public static void append(MovingHomes moving, int minipage, StringBuilder to) {
    moving.appendState(minipage, to);
  }

  /** Appends what it knows about a minipage, but for that number. */
  public static void append(HomeCore home, int minipage, StringBuilder to) {
    home.appendState(minipage, to);
  }
}
