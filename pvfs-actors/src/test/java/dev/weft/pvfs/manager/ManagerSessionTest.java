package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.wire.MetaReply;
import org.junit.jupiter.api.Test;

class ManagerSessionTest {
  private final ManagerSession session = new ManagerSession(1, "node", 1, 2);

  private void rememberAndAnswer(MetaReply reply) {
    session.remember(reply);
    session.answer(reply);
  }

  @Test
  void shouldTakeNoMoreRequestsThanItHasCredits() {
    assertTrue(session.ask(1));
    assertFalse(session.ask(1), "the same one twice on one connection");
    assertTrue(session.ask(2));
    assertFalse(session.ask(3));
    rememberAndAnswer(MetaReply.ok(1));
    assertTrue(session.ask(3));
  }

  @Test
  void shouldKeepAnAnswerUntilItIsAskedForAgainOnTheNextConnection() {
    session.ask(1);
    session.connected(null);
    rememberAndAnswer(MetaReply.ok(1));
    assertTrue(session.answering.isEmpty(), "nobody has asked for it on this connection");
    session.ask(1);
    assertEquals(1, session.answered(1).id());
    rememberAndAnswer(session.answered(1));
    assertEquals(1, session.answering.size());
  }

  @Test
  void shouldRememberAsManyAnswersAsCanBeLostWithAConnection() {
    for (long id = 1; id <= 3; id++) {
      session.ask(id);
      rememberAndAnswer(MetaReply.ok(id));
    }
    assertNull(session.answered(1));
    assertEquals(2, session.answered(2).id());
    session.ask(4);
    session.answer(MetaReply.failed(4, 5));
    assertNull(session.answered(4), "what was not done may be tried again");
  }
}
