package dev.weft.dsm.sync;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weft.dsm.wire.DsmMessage.LockGrant;
import dev.weft.dsm.wire.DsmMessage.LockRecall;
import org.junit.jupiter.api.Test;

class LockHomeTest {
  private final SentMessages sent = new SentMessages();
  private final LockHome home = new LockHome(7, sent);

  private static LockGrant grant(boolean recalled, boolean holderLost) {
    return new LockGrant(7, recalled, holderLost);
  }

  @Test
  void shouldGrantAFreeLock() {
    home.onRequest(2);
    sent.shouldBe(2, grant(false, false));
    assertEquals(2, home.holder());
  }

  @Test
  void shouldRecallOnceWhenOthersWait() {
    home.onRequest(2);
    sent.shouldBe(2, grant(false, false));
    home.onRequest(3);
    sent.shouldBe(2, new LockRecall(7));
    home.onRequest(4);
    sent.shouldBeNothing();
    assertEquals(2, home.waiting());
  }

  @Test
  void shouldServeThoseThatWaitInOrderAndSayWhetherMoreDo() {
    home.onRequest(2);
    home.onRequest(3);
    home.onRequest(4);
    sent.shouldBe(2, grant(false, false), 2, new LockRecall(7));
    home.onReturn(2, false, false);
    sent.shouldBe(3, grant(true, false));
    home.onReturn(3, false, false);
    sent.shouldBe(4, grant(false, false));
  }

  @Test
  void shouldPutTheOneThatReturnsItAndWantsItAgainBehindTheOthers() {
    home.onRequest(2);
    home.onRequest(3);
    sent.shouldBe(2, grant(false, false), 2, new LockRecall(7));
    home.onReturn(2, true, false);
    sent.shouldBe(3, grant(true, false));
    home.onReturn(3, false, false);
    sent.shouldBe(2, grant(false, false));
  }

  @Test
  void shouldIgnoreAReturnOfOneThatHasItNot() {
    home.onRequest(2);
    sent.shouldBe(2, grant(false, false));
    home.onReturn(3, true, false);
    sent.shouldBeNothing();
    assertEquals(2, home.holder());
    home.onReturn(2, false, false);
    home.onReturn(2, true, false);
    sent.shouldBeNothing();
    assertEquals(-1, home.holder());
    assertEquals(0, home.waiting());
  }

  @Test
  void shouldSayThatTheHolderWasLostToTheNextOneOnly() {
    home.onRequest(2);
    home.onRequest(3);
    home.onRequest(4);
    sent.shouldBe(2, grant(false, false), 2, new LockRecall(7));
    home.onNodeLost(2);
    sent.shouldBe(3, grant(true, true));
    home.onReturn(3, false, false);
    sent.shouldBe(4, grant(false, false));
  }

  @Test
  void shouldRememberThatTheHolderWasLostUntilSomebodyAsks() {
    home.onRequest(2);
    sent.shouldBe(2, grant(false, false));
    home.onNodeLost(2);
    sent.shouldBeNothing();
    home.onRequest(3);
    sent.shouldBe(3, grant(false, true));
  }

  @Test
  void shouldForgetALostNodeThatWaits() {
    home.onRequest(2);
    home.onRequest(3);
    sent.shouldBe(2, grant(false, false), 2, new LockRecall(7));
    home.onNodeLost(3);
    home.onReturn(2, false, false);
    sent.shouldBeNothing();
    assertEquals(-1, home.holder());
  }

  @Test
  void shouldIgnoreWhatALostNodeHadReturnedBeforeItWasLost() {
    home.onRequest(2);
    home.onReturn(2, false, false);
    home.onNodeLost(2);
    home.onRequest(3);
    sent.shouldBe(2, grant(false, false), 3, grant(false, false));
  }
}
