package dev.weft.fabric.time;

import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** The machine's monotonic clock. The only place of the fabric that reads it, besides the hardware dispatcher. */
public enum RealClock implements Clock {
  /** The one instance. */
  INSTANCE;

  /** Nanoseconds from 1970 to the zero of this clock, as the machine's calendar has it now. */
  public static long epochNs() {
    return wallNs() - INSTANCE.nowNs();
  }

  /** Nanoseconds since 1970 by the machine's calendar, which may be set back; the time that files have. Any thread. */
  public static long wallNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  @Override
  public long nowNs() {
    return System.nanoTime();
  }
}
