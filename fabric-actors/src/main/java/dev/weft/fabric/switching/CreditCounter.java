package dev.weft.fabric.switching;

import java.util.Arrays;

/** Credits that a transmitter holds towards the far end of its cable, in packets, one count for each virtual lane. */
final class CreditCounter {
  /** More than this on one lane cannot be an honest grant. */
  static final int CREDITS_MAX = 0xffff;

  private final int[] held;
  /** The far end has said Xoff: what is held may not be spent. */
  private final boolean[] paused;

  CreditCounter(int virtualLanes) {
    held = new int[virtualLanes];
    paused = new boolean[virtualLanes];
  }

  /** Adds a grant, possibly of nothing. Answers false, and changes nothing, if the lane or the count is impossible. */
  boolean grant(int lane, int count) {
    if (lane < 0 || lane >= held.length || count < 0 || count > CREDITS_MAX - held[lane]) {
      return false;
    }
    held[lane] += count;
    return true;
  }

  /** Spends one credit. Answers false if there is none. */
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

  /** The link went down: what the far end granted is void. */
  void reset() {
    Arrays.fill(held, 0);
    Arrays.fill(paused, false);
  }
}
