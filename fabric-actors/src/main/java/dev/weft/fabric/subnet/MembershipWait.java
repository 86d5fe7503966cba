package dev.weft.fabric.subnet;

import akka.cluster.MemberStatus;
import java.time.Duration;

/**
 * Measures how long a JVM has waited for its membership since another JVM admitted it to the fabric. A JVM becomes a member when all others have
 * confirmed that they know it. If the JVM that admitted it ended before it told the others, the new JVM would wait forever: the others ignore messages
 * of an unknown JVM, and the cluster has no timeout for this. Only time in which this JVM ran counts, so that a pause causes no failure.
 */
final class MembershipWait {
  /** The state of the wait. */
  enum State {
    WAITING, MEMBER, OVERDUE
  }

  private final Duration max;
  private Duration waited = Duration.ZERO;

  MembershipWait(Duration max) {
    this.max = max;
  }

  /**
   * Returns the state after another {@code step}.
   *
   * @param status the membership status of this JVM; {@code Removed} until another JVM has admitted it
   */
  State after(Duration step, MemberStatus status) {
    if (!status.equals(MemberStatus.joining()) && !status.equals(MemberStatus.weaklyUp())) {
      return status.equals(MemberStatus.removed()) ? State.WAITING : State.MEMBER;
    }
    waited = waited.plus(step);
    return waited.compareTo(max) < 0 ? State.WAITING : State.OVERDUE;
  }
}
