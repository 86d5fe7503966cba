package dev.weft.fabric.switching;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CreditCounterTest {
  private final CreditCounter credits = new CreditCounter(2);

  @Test
  void shouldSpendOnlyWhatWasGrantedOnThatLane() {
    assertTrue(credits.grant(1, 2));
    assertFalse(credits.take(0));
    assertTrue(credits.take(1));
    assertTrue(credits.take(1));
    assertFalse(credits.take(1));
    assertEquals(0, credits.held(1));
  }

  @Test
  void shouldRefuseGrantsThatNoHonestFarEndSends() {
    assertFalse(credits.grant(-1, 1));
    assertFalse(credits.grant(2, 1));
    assertTrue(credits.grant(0, 0), "a full receiver may say so");
    assertFalse(credits.grant(0, -5));
    assertTrue(credits.grant(0, CreditCounter.CREDITS_MAX));
    assertFalse(credits.grant(0, 1));
    assertFalse(credits.grant(1, Integer.MAX_VALUE));
    assertEquals(CreditCounter.CREDITS_MAX, credits.held(0));
    assertEquals(0, credits.held(1));
  }

  @Test
  void shouldForgetAllCreditsWhenReset() {
    credits.grant(0, 3);
    credits.reset();
    assertFalse(credits.take(0));
  }
}
