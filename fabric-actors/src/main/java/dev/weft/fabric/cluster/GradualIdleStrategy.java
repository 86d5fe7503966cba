package dev.weft.fabric.cluster;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;

/**
 * Spins, yields and then sleeps, twice as long each time, like Agrona's back-off strategy. But a cycle that found work only shortens the next
 * sleep to an eighth; after a few such cycles in a row, the thread does not sleep. For the driver's sockets: in an idle cluster, a few
 * heartbeats pass in a hundred milliseconds, and spinning after each of them cost 3 % of a core.
 */
final class GradualIdleStrategy implements IdleStrategy {
  private static final int SHORTER = 8;

  private final int spins;
  private final int turnsAwake;
  private final long minParkNs;
  private final long maxParkNs;
  private int turns;
  private long parkNs; // 0: awake

  GradualIdleStrategy(int spins, int yields, long minParkNs, long maxParkNs) {
    this.spins = spins;
    this.turnsAwake = spins + yields;
    this.minParkNs = minParkNs;
    this.maxParkNs = maxParkNs;
  }

  @Override
  public void idle(int workCount) {
    if (workCount > 0) {
      worked();
    } else {
      idle();
    }
  }

  @Override
  public void idle() {
    long sleepNs = nextSleepNs();
    if (sleepNs > 0) {
      LockSupport.parkNanos(this, sleepNs);
    } else if (turns <= spins) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
    }
  }

  void worked() {
    turns = 0;
    parkNs /= SHORTER;
    if (parkNs < minParkNs) {
      parkNs = 0;
    }
  }

  /** Returns how long to sleep after one more cycle without work; 0 means no sleep. */
  long nextSleepNs() {
    if (parkNs == 0 && turns < turnsAwake) {
      turns++;
      return 0;
    }
    long sleepNs = Math.max(minParkNs, parkNs);
    parkNs = Math.min(maxParkNs, 2 * sleepNs);
    return sleepNs;
  }

  @Override
  public void reset() {
    turns = 0;
    parkNs = 0;
  }

  @Override
  public String alias() {
    return "gradual";
  }
}
