package dev.weft.fabric.dispatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CrowdingTest {
  @Test
  void shouldSpinInFullUntilAYieldRanSomebodyElse() {
    Crowding crowding = new Crowding(100);
    assertEquals(100, crowding.spinCycles());

    assertTrue(crowding.yielded(50_000));
    assertEquals(4, crowding.spinCycles());

    assertTrue(crowding.yielded(1_501));
    assertFalse(crowding.yielded(400));
    assertEquals(100, crowding.spinCycles());
  }

  @Test
  void shouldNeverSpinLongerThanTheSetting() {
    Crowding crowding = new Crowding(2);
    crowding.yielded(50_000);
    assertEquals(2, crowding.spinCycles());
  }
}
