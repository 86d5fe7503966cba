package dev.weft.fabric.subnet;

import akka.cluster.MemberStatus;
import java.time.Duration;

/**
 * How long a JVM that was let into a fabric has been no member of it. A JVM becomes one when all others have answered that they know it. Who was let in by
 * a JVM that ended before it told anybody waits for ever: the others ignore what a stranger says, and the cluster gives up nobody for that. Only time in
 * which this JVM ran is counted, so that a pause ends nothing.
 */
final class MembershipWait {
  /** What the wait has come to. */
  enum State {
    WAITING, MEMBER, OVERDUE
  }

  private final Duration max;
  private Duration waited = Duration.ZERO;

  MembershipWait(Duration max) {
    this.max = max;
  }

  /**
   * As it is after another while.
   *
   * @param status of this JVM; {@code Removed} as long as nobody has let it in
   */
  State after(Duration step, MemberStatus status) {
    if (!status.equals(MemberStatus.joining()) && !status.equals(MemberStatus.weaklyUp())) {
      return status.equals(MemberStatus.removed()) ? State.WAITING : State.MEMBER;
    }
    waited = waited.plus(step);
    return waited.compareTo(max) < 0 ? State.WAITING : State.OVERDUE;
  }
}
