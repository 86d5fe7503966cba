package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage.BarrierBroken;
import dev.weft.dsm.wire.DsmMessage.BarrierRelease;
import org.junit.jupiter.api.Test;

class BarrierHomeTest {
  private final SentMessages sent = new SentMessages();
  private final BarrierHome home = new BarrierHome(3, 3, sent);

  @Test
  void shouldReleaseAllWhenTheLastHasCome() {
    home.onArrive(1);
    home.onArrive(0);
    sent.shouldBeNothing();
    assertEquals(2, home.here());
    home.onArrive(1);
    sent.shouldBe(0, new BarrierRelease(3, 1), 1, new BarrierRelease(3, 2));
    assertEquals(0, home.here());
  }

  @Test
  void shouldBeginAnewForThoseThatComeAgain() {
    for (int round = 0; round < 3; round++) {
      home.onArrive(63);
      home.onArrive(63);
      sent.shouldBeNothing();
      home.onArrive(63);
      sent.shouldBe(63, new BarrierRelease(3, 3));
    }
  }

  @Test
  void shouldTellThoseThatWaitThatItIsBroken() {
    home.onArrive(0);
    home.onArrive(1);
    home.onNodeLost(1);
    sent.shouldBe(0, new BarrierBroken(3));
    assertEquals(0, home.here());
  }

  @Test
  void shouldStayBroken() {
    home.onNodeLost(2);
    sent.shouldBeNothing();
    for (int node = 0; node < 3; node++) {
      home.onArrive(node);
      sent.shouldBe(node, new BarrierBroken(3));
    }
    home.onNodeLost(1);
    sent.shouldBeNothing();
  }
}
