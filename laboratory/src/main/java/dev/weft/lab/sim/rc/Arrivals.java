package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Violations;
import java.util.BitSet;

/**
 * What one receiver got of numbered messages of an unreliable service. Where the cables do not duplicate, each at most once; where they
 * keep the order too, in order; where they do nothing at all, every one that found a receive.
 */
final class Arrivals {
  private final String receiver;
  private final Violations violations;
  private final boolean mayRepeat;
  private final boolean mayOvertake;
  private final BitSet seen = new BitSet();
  private int last = -1;

  /**
   * @param mayRepeat cables duplicate packets
   * @param mayOvertake cables let packets overtake each other
   */
  Arrivals(String receiver, boolean mayRepeat, boolean mayOvertake, Violations violations) {
    this.receiver = receiver;
    this.mayRepeat = mayRepeat;
    this.mayOvertake = mayOvertake;
    this.violations = violations;
  }

  void arrived(int message) {
    if (seen.get(message) && !mayRepeat) {
      violations.add(receiver + " got message " + message + " twice, although no cable duplicates");
    }
    if (message < last && !mayOvertake && !mayRepeat) {
      violations.add(receiver + " got message " + message + " after " + last + ", although no cable reorders");
    }
    seen.set(message);
    last = message;
  }

  /** Messages that came, each counted once. */
  int count() {
    return seen.cardinality();
  }

  /** Nothing may be missing. */
  void checkComplete(int messages) {
    if (count() < messages) {
      violations.add(receiver + " got " + count() + " of " + messages + " messages, although no cable loses any and a receive was always"
          + " posted");
    }
  }
}
