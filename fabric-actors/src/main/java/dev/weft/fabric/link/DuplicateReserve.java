package dev.weft.fabric.link;

import java.util.Arrays;

/**
 * Credits that a simulated cable keeps back, so that a duplicate has a buffer of its own at the receiving end. The cable takes them
 * from the credits on their way to the transmitter. When the receiver returns the credit of a duplicate, the cable keeps it again.
 */
final class DuplicateReserve {
  private static final int CREDITS_MAX = 2;

  private final int[] capacity;
  private final int[] spare;

  DuplicateReserve(int virtualLanes) {
    capacity = new int[virtualLanes];
    spare = new int[virtualLanes];
  }

  /**
   * Handles credits on their way to the transmitter. Keeps at most half of a lane's first grant, so that a lane with a single
   * buffer still works.
   *
   * @param wanted whether the cable injects duplicates; if not, the credits in reserve are added to the result
   * @return credits that the transmitter gets, possibly 0
   */
  int pass(int lane, int count, boolean wanted) {
    if (lane < 0 || lane >= spare.length || count <= 0) {
      return count;
    }
    if (capacity[lane] == 0) {
      capacity[lane] = count;
    }
    int target = wanted ? Math.min(CREDITS_MAX, capacity[lane] / 2) : 0;
    int kept = Math.min(target - spare[lane], count);
    spare[lane] += kept;
    return count - kept;
  }

  /** Takes a credit for a duplicate; false if none is in reserve. */
  boolean take(int lane) {
    if (spare[lane] == 0) {
      return false;
    }
    spare[lane]--;
    return true;
  }

  int spare(int lane) {
    return spare[lane];
  }

  /** Handles a change of the link's state: all credits are void. */
  void reset() {
    Arrays.fill(capacity, 0);
    Arrays.fill(spare, 0);
  }
}
