package dev.weft.lab.sim.rc;

import dev.weft.lab.kit.Violations;
import java.util.BitSet;

/**
 * The numbered messages of an unreliable service that one receiver got. Each may arrive at most once if cables do not duplicate, in order if cables
 * keep the order; and each that found a receive must arrive if there are no faults of cables.
 */
final class Arrivals {
  private final String receiver;
  private final Violations violations;
  private final boolean mayRepeat;
  private final boolean mayOvertake;
  private final BitSet seen = new BitSet();
  private int last = -1;

  /**
   * @param mayRepeat whether cables duplicate packets
   * @param mayOvertake whether packets may overtake each other
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

  /** Number of messages that arrived, each counted once. */
  int count() {
    return seen.cardinality();
  }

  /** Checks that no message is missing. */
  void checkComplete(int messages) {
    if (count() < messages) {
      violations.add(receiver + " got " + count() + " of " + messages + " messages, although no cable loses any and a receive was always"
          + " posted");
    }
  }
}
