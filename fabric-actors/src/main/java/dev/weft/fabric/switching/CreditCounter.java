package dev.weft.fabric.switching;

import java.util.Arrays;

/** The credits that a transmitter holds for the far end of its cable, in packets, one count for each virtual lane. */
final class CreditCounter {
  /** Largest number of credits on one lane; a larger grant is invalid. */
  static final int CREDITS_MAX = 0xffff;

  private final int[] held;
  /** Whether the far end has sent Xoff, so that the credits must not be spent. */
  private final boolean[] paused;

  CreditCounter(int virtualLanes) {
    held = new int[virtualLanes];
    paused = new boolean[virtualLanes];
  }

  /** Adds a grant, which may be 0. Returns false, and changes nothing, if the lane or the count is invalid. */
  boolean grant(int lane, int count) {
    if (lane < 0 || lane >= held.length || count < 0 || count > CREDITS_MAX - held[lane]) {
      return false;
    }
    held[lane] += count;
    return true;
  }

  /** Spends one credit. Returns false if there is none, or if the lane is paused. */
  boolean take(int lane) {
    if (held[lane] == 0 || paused[lane]) {
      return false;
    }
    held[lane]--;
    return true;
  }

  int held(int lane) {
    return held[lane];
  }

  /** Whether a credit may be spent now. */
  boolean maySpend(int lane) {
    return held[lane] > 0 && !paused[lane];
  }

  void pause(int lane, boolean stop) {
    if (lane >= 0 && lane < paused.length) {
      paused[lane] = stop;
    }
  }

  /** Handles a link that went down: the grants of the far end are void. */
  void reset() {
    Arrays.fill(held, 0);
    Arrays.fill(paused, false);
  }
}
