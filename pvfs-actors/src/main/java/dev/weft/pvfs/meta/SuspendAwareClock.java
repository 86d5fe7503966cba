package dev.weft.pvfs.meta;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock that counts the time of a suspended machine. Linux's monotonic clock stands still then, so this clock adds the time by which the calendar has
 * gained on it. Setting the calendar forward advances this clock too; setting it back hides an equal part of a later suspension. Any thread.
 */
final class SuspendAwareClock implements LongSupplier {
  private final LongSupplier awakeNs;
  private final LongSupplier calendarNs;
  /** Largest lead of the calendar over the monotonic clock. */
  private final AtomicLong aheadNs;

  SuspendAwareClock(LongSupplier awakeNs, LongSupplier calendarNs) {
    this.awakeNs = awakeNs;
    this.calendarNs = calendarNs;
    this.aheadNs = new AtomicLong(calendarNs.getAsLong() - awakeNs.getAsLong());
  }

  @Override
  public long getAsLong() {
    long calendar = calendarNs.getAsLong(); // First: a pause between the two calls then hides a part of a suspension, but never adds one.
    long awake = awakeNs.getAsLong();
    long ahead = calendar - awake;
    long before = aheadNs.getPlain();
    return awake + (ahead > before ? aheadNs.accumulateAndGet(ahead, Math::max) : before);
  }
}
