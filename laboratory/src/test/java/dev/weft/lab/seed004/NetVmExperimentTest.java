package dev.weft.lab.seed004;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed004.NetVmExperiment.Detection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class NetVmExperimentTest {
  private static final HardwareProfile LANAI = HardwareProfile.load("lanai9");

  /** Row netvm.write.latency. */
  @Test
  void shouldWriteToUnpinnedMemoryInTheTimeThatTheProfileIsCalibratedOn() {
    assertEquals(5.56, NetVmExperiment.writeLatencyNs(LANAI, 4, true, 1) / 1e3, 0.03 * 5.56);
  }

  /** Rows netvm.notify.min and netvm.notify.max. */
  @Test
  void shouldNotifyWithinTheRangeThatTheProfileIsCalibratedOn() {
    assertEquals(2.96, NetVmExperiment.notificationNs(LANAI, Detection.BUSY_WAIT, 1) / 1e3, 0.03 * 2.96);
    assertEquals(17.49, NetVmExperiment.notificationNs(LANAI, Detection.BLOCKING_WAIT, 1) / 1e3, 0.03 * 17.49);
  }

  @Test
  void shouldPayForTheDiskOnlyWhereAPageIsAbsent() {
    long absent = NetVmExperiment.writeLatencyNs(LANAI, 4, false, 1);
    assertTrue(absent > LANAI.disk().seekNs(), () -> "an absent page took " + absent + " ns");
  }

  @Test
  void shouldHandOverWithoutAnotherAtomicOnTheWay() {
    LockExperiment locks = LockExperiment.run(LANAI, 1);
    assertEquals(locks.atomic(), locks.down(), "a semaphore that has units costs one atomic");
    assertEquals(locks.atomic(), locks.enter(), "a free lock costs one atomic");
    assertTrue(locks.handOver() < 2 * locks.atomic(), () -> locks.toString());
  }

  @Test
  void shouldGiveTheSameNumbersForTheSameSeed() {
    assertEquals(LockExperiment.run(LANAI, 3), LockExperiment.run(LANAI, 3));
  }
}
