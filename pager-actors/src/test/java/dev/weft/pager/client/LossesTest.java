package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LossesTest {
  private final Losses losses = new Losses();

  @Test
  void shouldTellEachReaderOnce() {
    Losses.Reader one = losses.reader();
    Losses.Reader two = losses.reader();
    assertFalse(one.isNews());
    losses.add();
    assertTrue(one.isNews());
    assertFalse(one.isNews());
    assertTrue(two.isNews());
    losses.add();
    assertTrue(one.isNews());
  }

  @Test
  void shouldTellALaterReaderOnlyOfWhatNobodyKnows() {
    losses.add();
    Losses.Reader first = losses.reader();
    assertTrue(first.isNews());
    assertFalse(losses.reader().isNews());
    losses.add();
    assertTrue(losses.reader().isNews(), "the second loss is not known yet");
  }
}
