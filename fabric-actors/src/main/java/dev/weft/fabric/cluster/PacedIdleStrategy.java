package dev.weft.fabric.cluster;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * Sleeps after every duty cycle, also after one that found work: the shortest sleep then, and twice as long after each one that
 * did not, up to the longest. For the driver's conductor, whose only task while packets pass through shared memory is
 * to move the limits of their publications on now and then; left to itself it would do that in a loop and take a core
 * from those who send.
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
