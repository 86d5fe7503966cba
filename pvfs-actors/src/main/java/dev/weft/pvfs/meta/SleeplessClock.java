package dev.weft.pvfs.meta;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * A clock that goes on while the machine is suspended, when the monotonic one of Linux stands still: by how much the calendar has gone on further than that
 * one. A calendar that is set forward makes it go on, too; one that is set back does not set it back, but hides as much of a later sleep. Any thread.
 */
final class SleeplessClock implements LongSupplier {
  private final LongSupplier awakeNs;
  private final LongSupplier calendarNs;
  /** The most that the calendar was ahead of the other one. */
  private final AtomicLong aheadNs;

  SleeplessClock(LongSupplier awakeNs, LongSupplier calendarNs) {
    this.awakeNs = awakeNs;
    this.calendarNs = calendarNs;
    this.aheadNs = new AtomicLong(calendarNs.getAsLong() - awakeNs.getAsLong());
  }

  @Override
  public long getAsLong() {
    long calendar = calendarNs.getAsLong(); // First: who stands still between the two sees less of a sleep, and none that was not.
    long awake = awakeNs.getAsLong();
    long ahead = calendar - awake;
    long before = aheadNs.getPlain();
    return awake + (ahead > before ? aheadNs.accumulateAndGet(ahead, Math::max) : before);
  }
}
