package dev.weft.fabric.time;

import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The machine's monotonic clock. It stands still while this process is paused ({@link RunningTime}), so that no timeout expires during a pause. Only this
 * class of the fabric reads the machine's clocks.
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

  /** Returns a clock of the machine's own time, including pauses of this process. Use it for times that must agree with the calendar. */
  public static Clock ofMachine() {
    return System::nanoTime;
  }

  /** Returns the nanoseconds from 1970 to the zero of {@link #ofMachine}, by the machine's calendar at this moment. */
  public static long epochNs() {
    return wallNs() - ofMachine().nowNs();
  }

  /** Returns the nanoseconds since 1970 by the machine's calendar, which may be set back. Files have this time. Any thread. */
  public static long wallNs() {
    Instant now = Instant.now();
    return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
  }

  /** Returns how long this process was paused so far, without the first second of each pause. It grows before any thread reads a time after the pause. */
  public static long pausedNs() {
    return TIME.pausedNs();
  }

  @Override
  public long nowNs() {
    return TIME.nowNs();
  }
}
