package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class GradualIdleStrategyTest {
  private final GradualIdleStrategy idle = new GradualIdleStrategy(2, 3, 50, 1_600);

  @Test
  void shouldSleepLongerAndLongerAfterSpinsAndYields() {
    assertSleeps(0, 0, 0, 0, 0, 50, 100, 200, 400, 800, 1_600, 1_600);
  }

  @Test
  void shouldSleepOnAfterASingleCycleWithWork() {
    fallAsleep();
    idle.worked();
    assertSleeps(200, 400, 800, 1_600);
  }

  @Test
  void shouldBeAwakeAfterWorkInARow() {
    fallAsleep();
    idle.worked();
    idle.worked();
    assertSleeps(0, 0, 0, 0, 0, 50);
  }

  @Test
  void shouldStayAwakeWhileWorkComes() {
    for (int i = 0; i < 100; i++) {
      assertSleeps(0, 0, 0, 0);
      idle.worked();
    }
  }

  private void fallAsleep() {
    for (int i = 0; i < 50; i++) {
      idle.nextSleepNs();
    }
  }

  private void assertSleeps(long... expectedNs) {
    for (long sleepNs : expectedNs) {
      assertEquals(sleepNs, idle.nextSleepNs());
    }
  }
}
