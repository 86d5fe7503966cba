package dev.weft.dsm.home;

/** Lets checkers in other packages see all that a home knows. */
public final class HomeState {
  private HomeState() {}

  /** Number of what the home does with a minipage now. */
  public static int op(HomeCore home, int minipage) {
    return home.op(minipage);
  }

  /** Appends what it knows about a minipage, but for that number. */
  public static void append(HomeCore home, int minipage, StringBuilder to) {
    home.appendState(minipage, to);
  }
}
