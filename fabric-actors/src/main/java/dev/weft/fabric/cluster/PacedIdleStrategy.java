package dev.weft.fabric.cluster;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * Sleeps after every duty cycle: the shortest sleep after a cycle that found work, and twice as long after each cycle that did not, up
 * to the longest sleep. For the driver's conductor: while packets pass through shared memory, it only has to advance the limits of
 * their publications now and then. With another strategy, it would do that in a loop and take a core from the senders.
 */
final class PacedIdleStrategy implements IdleStrategy {
  private final long minParkNs;
  private final long maxParkNs;
  private long parkNs;

  PacedIdleStrategy(long minParkNs, long maxParkNs) {
    this.minParkNs = minParkNs;
    this.maxParkNs = maxParkNs;
    this.parkNs = minParkNs;
  }

  @Override
  public void idle(int workCount) {
    if (workCount > 0) {
      reset();
    }
    idle();
  }

  @Override
  public void idle() {
    LockSupport.parkNanos(this, parkNs);
    parkNs = Math.min(maxParkNs, 2 * parkNs);
  }

  @Override
  public void reset() {
    parkNs = minParkNs;
  }

  @Override
  public String alias() {
    return "paced";
  }
}
