package dev.weft.fabric.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RunningTimeTest {
  private static final long TEN_MINUTES_NS = TimeUnit.MINUTES.toNanos(10);

  private long machineNs = 5_000;
  private final RunningTime time = new RunningTime(() -> machineNs);

  private void run(long ns) {
    for (long left = ns; left > 0; left -= RunningTime.LOOK_NS) {
      machineNs += Math.min(left, RunningTime.LOOK_NS);
      time.look();
    }
  }

  @Test
  void shouldBeTheMachinesTimeWhileTheProcessRuns() {
    run(TEN_MINUTES_NS);
    machineNs += RunningTime.LOOK_NS + 17;
    assertEquals(machineNs, time.nowNs());
    assertEquals(0, time.pausedNs());
  }

  @Test
  void shouldStandStillWhileTheProcessDoes() {
    long before = time.nowNs();
    machineNs += TEN_MINUTES_NS;
    assertEquals(before + RunningTime.PAUSE_NS, time.nowNs());
    assertEquals(TEN_MINUTES_NS - RunningTime.PAUSE_NS, time.pausedNs());
    run(1_000_000_000);
    assertEquals(before + RunningTime.PAUSE_NS + 1_000_000_000, time.nowNs());
    machineNs += 2 * TEN_MINUTES_NS;
    assertEquals(3 * TEN_MINUTES_NS - 2 * RunningTime.PAUSE_NS, time.pausedNs(), "asked first, it sees the pause too");
  }

  @Test
  void shouldNotGoBackWhereTheLookThatWasDueCameLate() {
    machineNs += RunningTime.PAUSE_NS - 1;
    long before = time.nowNs();
    machineNs += TEN_MINUTES_NS;
    assertTrue(time.nowNs() >= before);
  }

  @Test
  void shouldTakeWhatPassedBetweenTwoReadsOfOneCallForAPause() {
    long[] reads = {0};
    RunningTime stopped = new RunningTime(() -> {
      reads[0]++;
      return reads[0] == 1 ? 0 : TEN_MINUTES_NS; // The process stops just before it reads the machine's time.
    });
    assertEquals(RunningTime.PAUSE_NS, stopped.nowNs());
  }
}
