package dev.weft.fabric.seal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReplayWindowTest {
  @Test
  void shouldTakeEachNumberOnceInAnyOrder() {
    ReplayWindow window = new ReplayWindow();
    for (long number : new long[] {5, 3, 4, 0, 70, 64}) {
      assertTrue(window.isNew(number));
      window.add(number);
      assertFalse(window.isNew(number));
    }
    assertTrue(window.isNew(1) && window.isNew(65));
  }

  @Test
  void shouldTakeOldNumbersForSeen() {
    ReplayWindow window = new ReplayWindow();
    window.add(ReplayWindow.LENGTH + 9L);
    assertFalse(window.isNew(9));
    assertTrue(window.isNew(10));
    window.add(10L * ReplayWindow.LENGTH);
    assertFalse(window.isNew(10));
    assertTrue(window.isNew(10L * ReplayWindow.LENGTH - 1), "a jump forgets what was at the same places");
  }

  /** Against a set, which forgets nothing. */
  @Test
  void shouldAgreeWithASet() {
    Random random = new Random(6479);
    ReplayWindow window = new ReplayWindow();
    Set<Long> seen = new HashSet<>();
    long highest = -1;
    for (int i = 0; i < 200_000; i++) {
      long number = Math.max(0, highest + random.nextInt(random.nextInt(100) == 0 ? 20_000 : 60) - 40 - (random.nextInt(50) == 0 ? 9000 : 0));
      boolean isNew = !seen.contains(number) && highest - number < ReplayWindow.LENGTH;
      assertEquals(isNew, window.isNew(number), "step " + i + ", number " + number);
      if (isNew) {
        window.add(number);
        seen.add(number);
        highest = Math.max(highest, number);
      }
    }
  }
}
