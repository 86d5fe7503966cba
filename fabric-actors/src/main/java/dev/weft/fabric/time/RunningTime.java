package dev.weft.fabric.time;

import java.util.concurrent.TimeUnit;

/**
 * The time for which this process ran. While the whole process is paused (SIGSTOP, a frozen cgroup, a paused or migrated virtual machine), the
 * machine's clock goes on. Afterwards, every timeout of the process would have expired, although the process could not receive answers. So this time
 * stands still during a pause: a pause counts as {@link #PAUSE_NS}.
 *
 * <p>To detect pauses, a thread {@linkplain #look looks} every {@link #LOOK_NS}. If no thread did for {@link #PAUSE_NS}, the process did not run. The
 * first thread that reads the time after a pause detects it. Any thread.
 */
final class RunningTime {
  /** Interval of the looks. An idle JVM pays for each of them. */
  static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(250);
  /** Well above the time for which a thread waits for a busy processor, and below all timeouts of peers. */
  static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

  private final Clock machine;
  private volatile long pausedNs;
  private volatile long lookedNs; // written after pausedNs, read before it

  /** {@code machine} must be monotonic. */
  RunningTime(Clock machine) {
    this.machine = machine;
    this.lookedNs = machine.nowNs();
  }

  /** Returns the time; it is monotonic, also across threads. */
  long nowNs() {
    long looked = lookedNs;
    long paused = pausedNs;
    long machineNs = machine.nowNs(); // Read last, so that a pause between these three reads is detected.
    return machineNs - looked < PAUSE_NS ? machineNs - paused : look();
  }

  /** Records that the process runs, and returns the time. */
  synchronized long look() {
    long machineNs = machine.nowNs();
    long silentNs = machineNs - lookedNs;
    if (silentNs > PAUSE_NS) { // Other threads may have read times up to PAUSE_NS after the last look.
      pausedNs += silentNs - PAUSE_NS;
    }
    lookedNs = machineNs;
    return machineNs - pausedNs;
  }

  /** Returns how much of the machine's time does not count so far. */
  long pausedNs() {
    nowNs();
    return pausedNs;
  }
}
