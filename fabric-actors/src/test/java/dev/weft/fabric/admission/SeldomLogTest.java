package dev.weft.fabric.admission;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.time.RealClock;
import org.junit.jupiter.api.Test;

class SeldomLogTest {
  @Test
  void shouldAllowOneLineNowAndTheNextTenSecondsLater() {
    SeldomLog seldom = new SeldomLog();
    long now = RealClock.INSTANCE.nowNs();
    assertTrue(seldom.mayLog(now));
    assertFalse(seldom.mayLog(now + 9_999_999_999L));
    assertTrue(seldom.mayLog(now + 10_000_000_000L));
    assertFalse(seldom.mayLog(now + 10_000_000_001L));
  }
}
