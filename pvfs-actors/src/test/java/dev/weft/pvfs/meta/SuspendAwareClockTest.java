package dev.weft.pvfs.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SuspendAwareClockTest {
  private long awakeNs = -50;
  private long calendarNs = 1_000_000;
  private final SuspendAwareClock clock = new SuspendAwareClock(() -> awakeNs, () -> calendarNs);
  private final long begin = clock.getAsLong();

  private void pass(long awake, long calendar) {
    awakeNs += awake;
    calendarNs += calendar;
  }

  @Test
  void shouldGoOnWhileTheMachineSleeps() {
    pass(10, 10);
    assertEquals(10, clock.getAsLong() - begin);
    pass(1, 60_001);
    assertEquals(60_011, clock.getAsLong() - begin);
    pass(5, 5);
    assertEquals(60_016, clock.getAsLong() - begin);
  }

  @Test
  void shouldNeverGoBack() {
    pass(10, -5000);
    assertEquals(10, clock.getAsLong() - begin);
    pass(10, 10);
    assertEquals(20, clock.getAsLong() - begin);
    pass(0, 6000);
    assertEquals(20 + 6000 - 5010, clock.getAsLong() - begin, "a sleep behind it counts less by what the calendar was set back");
  }
}
