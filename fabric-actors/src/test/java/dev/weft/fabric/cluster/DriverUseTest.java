package dev.weft.fabric.cluster;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DriverUseTest {
  private static final long UNUSED = 100;
  private static final long CONNECT = 1000;

  private final DriverUse use = new DriverUse(UNUSED, CONNECT, 7, 0);

  @Test
  void shouldWaitForTheOneThatStartedIt() {
    assertFalse(use.isOver(CONNECT, 0, 7));
    assertTrue(use.isOver(CONNECT + 1, 0, 7));
  }

  @Test
  void shouldEndSoonAfterItsLastClient() {
    assertFalse(use.isOver(10, 1, 7));
    assertFalse(use.isOver(10 + UNUSED, 0, 7));
    assertTrue(use.isOver(11 + UNUSED, 0, 7));
  }

  @Test
  void shouldWaitForALateVisitorAlsoWhenTheOthersLeave() {
    use.isOver(10, 1, 7);
    assertFalse(use.isOver(20, 1, 8));
    assertFalse(use.isOver(30, 0, 8));
    assertFalse(use.isOver(20 + CONNECT, 0, 8), "the visitor may still come");
    assertTrue(use.isOver(21 + CONNECT, 0, 8));
  }

  @Test
  void shouldNotWaitForAVisitorThatHasComeAndGone() {
    use.isOver(10, 1, 7);
    use.isOver(20, 1, 8);
    use.isOver(30, 2, 8);
    assertFalse(use.isOver(30 + UNUSED, 0, 8));
    assertTrue(use.isOver(31 + UNUSED, 0, 8));
  }
}
