package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class XoffThresholdsTest {
  private final XoffThresholds xoff = new XoffThresholds(2);

  @Test
  void shouldSayStopOnceAndGoOnOnce() {
    assertFalse(xoff.isUsed());
    xoff.start(4, 2);
    assertTrue(xoff.isUsed());
    assertFalse(xoff.occupied(0, 3));
    assertTrue(xoff.occupied(0, 4));
    assertFalse(xoff.occupied(0, 5));
    assertFalse(xoff.occupied(1, 3), "lanes are apart");
    assertFalse(xoff.freed(0, 3));
    assertTrue(xoff.freed(0, 2));
    assertFalse(xoff.freed(0, 1));
    assertTrue(xoff.occupied(0, 4));
  }

  @Test
  void shouldForgetWhenTheLinkGoesDown() {
    xoff.start(1, 0);
    assertTrue(xoff.occupied(0, 1));
    xoff.stop();
    assertFalse(xoff.isUsed());
    assertFalse(xoff.isPaused(0));
  }
}
