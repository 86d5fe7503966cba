package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManagerAnswerTest {
  private final ManagerSession session = new ManagerSession(1, "node", 1, 4);

  private ManagerAnswer answer(MetaRequest request, MetaReply reply) {
    return new ManagerAnswer(session, request, reply, Set.of());
  }

  /** Otherwise the first writer goes on when the second cut is done, and the first cut takes what it has written. */
  @Test
  void shouldWaitForItsOwnCutOfAFileThatIsCutTwice() {
    MetaRequest cut = MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, 7, MetaRequest.SET_BYTES, 0, 0, 0, 100, 0, 0);
    Map<Long, Long> intents = Map.of(31L, 7L, 32L, 7L, 30L, 8L);
    Set<Long> held = new HashSet<>();
    Long first = answer(cut, MetaReply.ok(1)).heldBy(intents, held);
    held.add(first);
    assertEquals(31, first);
    assertEquals(32, answer(cut, MetaReply.ok(2)).heldBy(intents, held));
    held.add(32L);
    assertNull(answer(cut, MetaReply.ok(3)).heldBy(intents, held));
    assertNull(answer(cut, MetaReply.failed(4, 22)).heldBy(intents, Set.of()), "one that was refused");
  }

  @Test
  void shouldLetNobodyRememberWhatIsSaidAgainLater() {
    MetaRequest lookup = MetaRequest.of(MetaOp.LOOKUP, Caller.ROOT, 7).named("f");
    long flags = MetaReply.LEASED | MetaReply.PARENT_LEASED | MetaReply.SOLE | MetaReply.LENGTH_OPEN;
    assertEquals(MetaReply.LENGTH_OPEN, answer(lookup, new MetaReply(1, 0, null, flags, new byte[0])).unleased().number());
    MetaReply count = new MetaReply(1, 0, null, MetaReply.LEASED, new byte[0]);
    assertSame(count, answer(MetaRequest.of(MetaOp.GETXATTR, Caller.ROOT, 7).named("user.a"), count).unleased(), "a number that is no flags");
  }
}
