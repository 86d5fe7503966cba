package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HeadOfQueueMonitorTest {
  private final HeadOfQueueMonitor monitor = new HeadOfQueueMonitor(3, 100);

  @Test
  void shouldStallALaneThatIsBlockedForTheLifetime() {
    monitor.block(1, 1000);
    assertFalse(monitor.expire(1, 1099));
    assertFalse(monitor.isStalled(1));
    assertTrue(monitor.expire(1, 1100));
    assertTrue(monitor.isStalled(1));
    assertFalse(monitor.expire(1, 2000), "only once");
    assertFalse(monitor.isAnyBlocked());
    monitor.clear(1);
    assertFalse(monitor.isStalled(1));
  }

  @Test
  void shouldCountAnewFromEachCredit() {
    monitor.block(0, 0);
    monitor.block(0, 90);
    assertFalse(monitor.expire(0, 150));
    assertTrue(monitor.expire(0, 190));
  }

  @Test
  void shouldAnswerTheEarliestExpiryAcrossAWrapOfTheClock() {
    long late = Long.MAX_VALUE - 10;
    monitor.block(2, late + 50);
    monitor.block(0, late);
    assertEquals(late + 100, monitor.nextExpiryNs());
    monitor.clear(0);
    assertEquals(late + 150, monitor.nextExpiryNs());
    assertTrue(monitor.expire(2, late + 150));
  }

  @Test
  void shouldGiveBlockedLanesTheirLifetimeAgainAfterAPauseOfItsOwnThread() {
    monitor.block(0, 0);
    monitor.restart(10_000);
    assertFalse(monitor.expire(0, 10_050));
    assertTrue(monitor.expire(0, 10_100));
  }
}
