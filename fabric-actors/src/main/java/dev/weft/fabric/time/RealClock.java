package dev.weft.fabric.time;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine's monotonic clock, which stands still while this process does ({@link RunningTime}): no timeout passes during a pause. The only place of
 * the fabric that reads the machine's clocks.
 */
public enum RealClock implements Clock {
  /** The one instance. */
  INSTANCE;

  private static final RunningTime TIME = new RunningTime(System::nanoTime);

  static {
    Thread.ofPlatform().daemon().name("weft-clock").start(RealClock::look);
  }

  private static void look() {
    while (true) {
      TIME.look();
      LockSupport.parkNanos(RunningTime.LOOK_NS);
    }
  }

  /** The machine's own time, pauses of this process included: for what must agree with the calendar. */
  public static Clock ofMachine() {
    return System::nanoTime;
  }

  /** Nanoseconds from 1970 to the zero of {@link #ofMachine}, as the machine's calendar has it now. */
  public static long epochNs() {
    return wallNs() - ofMachine().nowNs();
  }

  /** Nanoseconds since 1970 by the machine's calendar, which may be set back; the time that files have. Any thread. */
  public static long wallNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  /** For how long this process has stood still so far, each pause but for its first second. It grows before anybody reads a time after the pause. */
  public static long pausedNs() {
    return TIME.pausedNs();
  }

  @Override
  public long nowNs() {
    return TIME.nowNs();
  }
}
