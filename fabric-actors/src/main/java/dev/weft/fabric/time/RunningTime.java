package dev.weft.fabric.time;

import java.util.concurrent.TimeUnit;

/**
 * The time for which this process ran. While the whole process stands still (SIGSTOP, a frozen cgroup, a paused or migrated virtual machine), a
 * machine's clock goes on; afterwards every timeout of the process would have passed, although nobody could have answered. So this time stands still
 * with the process: a pause counts as {@link #PAUSE_NS}.
 *
 * <p>A pause is seen because somebody {@linkplain #look looks} every {@link #LOOK_NS}: where nobody did for {@link #PAUSE_NS}, the process did not run.
 * Whoever asks first after a pause sees it. Any thread.
 */
final class RunningTime {
  /** Between two looks: an idle JVM pays for each of them. */
  static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(250);
  /** Well above the time for which a thread waits for a busy processor, and below all timeouts that others have. */
  static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

  private final Clock machine;
  private volatile long pausedNs;
  private volatile long lookedNs; // written after pausedNs, read before it

  /** {@code machine} is monotonic. */
  RunningTime(Clock machine) {
    this.machine = machine;
    this.lookedNs = machine.nowNs();
  }

  /** Monotonic, also among threads. */
  long nowNs() {
    long looked = lookedNs;
    long paused = pausedNs;
    long machineNs = machine.nowNs(); // Last: a pause that comes between these three shows.
    return machineNs - looked < PAUSE_NS ? machineNs - paused : look();
  }

  /** Says that the process runs, and returns the time. */
  synchronized long look() {
    long machineNs = machine.nowNs();
    long silentNs = machineNs - lookedNs;
    if (silentNs > PAUSE_NS) { // Up to there others may have been told the time.
      pausedNs += silentNs - PAUSE_NS;
    }
    lookedNs = machineNs;
    return machineNs - pausedNs;
  }

  /** How much of the machine's time is left out so far. */
  long pausedNs() {
    nowNs();
    return pausedNs;
  }
}
