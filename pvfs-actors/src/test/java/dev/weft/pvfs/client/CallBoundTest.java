package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CallBoundTest {
  private static final long S = 1_000_000_000L;
  private final CallBound bound = new CallBound(10 * S);

  @Test
  void shouldWaitFromTheLossOn() {
    assertEquals(10 * S, bound.leftNs(100 * S, 100 * S, 100 * S));
    assertEquals(4 * S, bound.leftNs(106 * S, 103 * S, 100 * S));
  }

  @Test
  void shouldFailAtOnceWhenTheServerHasBeenAwayForSoLong() {
    assertEquals(0, bound.leftNs(110 * S, 110 * S, 100 * S));
    assertEquals(10 * S, bound.leftOfPollNs(110 * S, 110 * S, 100 * S));
  }

  @Test
  void shouldGiveACallThatBeganLongBeforeTheLossTimeForANewConnection() {
    assertEquals(2 * S, bound.leftNs(100 * S, 50 * S, 100 * S));
    assertEquals(0, bound.leftNs(102 * S, 50 * S, 100 * S));
  }

  @Test
  void shouldTellALateTimerFromOneOfAProcessThatStoodStill() {
    assertEquals(0, CallBound.stoodStillNs(101 * S, 100 * S));
    assertEquals(600 * S, CallBound.stoodStillNs(700 * S, 100 * S));
  }
}
