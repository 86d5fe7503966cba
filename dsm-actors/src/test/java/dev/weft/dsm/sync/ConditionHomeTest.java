package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage.ConditionWaiting;
import dev.weft.dsm.wire.DsmMessage.ConditionWake;
import org.junit.jupiter.api.Test;

class ConditionHomeTest {
  private final SentMessages sent = new SentMessages();
  private final ConditionHome home = new ConditionHome(9, sent);

  private void waits(int node, int ticket) {
    home.onWait(node, ticket);
    sent.shouldBe(node, new ConditionWaiting(9, ticket));
  }

  @Test
  void shouldForgetASignalThatNobodyWaitsFor() {
    home.onSignal(true);
    home.onSignal(false);
    sent.shouldBeNothing();
    waits(1, 10);
    assertEquals(1, home.waiting());
  }

  @Test
  void shouldWakeTheOneThatHasWaitedLongest() {
    waits(1, 10);
    waits(2, 10);
    home.onSignal(false);
    sent.shouldBe(1, new ConditionWake(9, 10));
    home.onSignal(false);
    sent.shouldBe(2, new ConditionWake(9, 10));
    home.onSignal(false);
    sent.shouldBeNothing();
  }

  @Test
  void shouldWakeAll() {
    waits(1, 10);
    waits(1, 11);
    home.onSignal(true);
    sent.shouldBe(1, new ConditionWake(9, 10), 1, new ConditionWake(9, 11));
    assertEquals(0, home.waiting());
  }

  @Test
  void shouldNotWakeOneThatHasCancelled() {
    waits(1, 10);
    waits(2, 10);
    home.onCancel(1, 10);
    home.onCancel(1, 10);
    home.onCancel(3, 10);
    home.onSignal(false);
    sent.shouldBe(2, new ConditionWake(9, 10));
  }

  @Test
  void shouldIgnoreACancelThatCrossesTheSignal() {
    waits(1, 10);
    home.onSignal(false);
    sent.shouldBe(1, new ConditionWake(9, 10));
    home.onCancel(1, 10);
    sent.shouldBeNothing();
  }

  @Test
  void shouldNotWakeThreadsOfALostNode() {
    waits(1, 10);
    waits(2, 10);
    waits(1, 11);
    home.onNodeLost(1);
    home.onSignal(true);
    sent.shouldBe(2, new ConditionWake(9, 10));
  }
}
