package dev.weft.fabric.dispatch;

import com.typesafe.config.Config;
import dev.weft.fabric.Check;
import java.time.Duration;

/**
 * Limits of a hardware dispatcher. {@code reference.conf} describes the keys under {@code
 * weft.hardware-dispatcher.duty-cycle}.
 */
public record HardwareDispatcherSettings(
    int localBatch,
    int foreignBatch,
    int timerBatch,
    int spinCycles,
    int yieldCycles,
    long parkMinNs,
    long parkMaxNs,
    long parkRungNs,
    long timeSliceNs,
    int foreignQueueCapacity,
    long foreignQueueFullWaitNs,
    int localQueueMax,
    int maxTimers) {
  private static final Check.Section LIMITS = new Check.Section("weft.hardware-dispatcher.duty-cycle");
  private static final long MAX_PARK_NS = Duration.ofSeconds(1).toNanos();
  private static final long MAX_SLICE_NS = Duration.ofMillis(100).toNanos();
  private static final long MAX_FULL_WAIT_NS = Duration.ofMinutes(1).toNanos();

  /** Checks every range. */
  public HardwareDispatcherSettings {
    LIMITS.check("local-batch", localBatch, 1, 1 << 20);
    LIMITS.check("foreign-batch", foreignBatch, 1, 1 << 20);
    LIMITS.check("timer-batch", timerBatch, 1, 1 << 20);
    LIMITS.check("spin-cycles", spinCycles, 0, 1 << 24);
    LIMITS.check("yield-cycles", yieldCycles, 0, 1 << 24);
    LIMITS.check("park-min", parkMinNs, 1, MAX_PARK_NS);
    LIMITS.check("park-max", parkMaxNs, parkMinNs, MAX_PARK_NS);
    LIMITS.check("park-rung", parkRungNs, 1, MAX_PARK_NS);
    LIMITS.check("time-slice", timeSliceNs, 0, MAX_SLICE_NS);
    LIMITS.check("foreign-queue-capacity", foreignQueueCapacity, 16, 1 << 24);
    LIMITS.check("foreign-queue-full-wait", foreignQueueFullWaitNs, 0, MAX_FULL_WAIT_NS);
    LIMITS.check("local-queue-max", localQueueMax, 1024, 1 << 28);
    LIMITS.check("max-timers", maxTimers, 64, 1 << 28);
  }

  /** Reads the settings from the dispatcher's own section ({@code weft.hardware-dispatcher}). */
  public static HardwareDispatcherSettings from(Config dispatcher) {
    Config c = dispatcher.getConfig("duty-cycle");
    return new HardwareDispatcherSettings(
        c.getInt("local-batch"),
        c.getInt("foreign-batch"),
        c.getInt("timer-batch"),
        c.getInt("spin-cycles"),
        c.getInt("yield-cycles"),
        c.getDuration("park-min").toNanos(),
        c.getDuration("park-max").toNanos(),
        c.getDuration("park-rung").toNanos(),
        c.getDuration("time-slice").toNanos(),
        c.getInt("foreign-queue-capacity"),
        c.getDuration("foreign-queue-full-wait").toNanos(),
        c.getInt("local-queue-max"),
        c.getInt("max-timers"));
  }

  /** Whether a thread yields, instead of spinning or sleeping, after {@code idle} empty cycles. */
  boolean yieldsAfter(int idle) {
    return idle > spinCycles && idle <= spinCycles + yieldCycles;
  }

  /** Returns how long the sleep after {@code rounds} earlier ones may last, if a poller has to look for work. */
  long parkNs(int rounds) {
    int shift = Math.clamp(rounds, 0, 30);
    return Math.min(parkMaxNs, parkMinNs << shift);
  }

  /** Returns how long any sleep may last; {@code rung} says whether all pollers ring the bell. */
  long longestSleepNs(boolean rung) {
    return rung ? parkRungNs : parkMaxNs;
  }
}
