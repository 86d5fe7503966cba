package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ManagerAnswersTest {
  private final MemoryDisk disk = new MemoryDisk("disk");
  private final IdleEffects effects = new IdleEffects();
  private final NameSpaceHandler handler = new NameSpaceHandler(KeptNameSpace.open(disk::open, FileSystemLabel.random(1), 1, StripingWish.NONE, () -> 1,
      () -> 0), List.of("1 pvfs"), () -> 1, 1_000_000_000L, effects);
  private final Coordination coordination = new Coordination(new CoordinationSettings(1_000_000_000L, 100, 100, 4), () -> 1, Set.of(), 0);
  private final ManagerAnswers answers = new ManagerAnswers(handler, coordination, effects);
  private final ManagerSession session = new ManagerSession(5, "node", 1, 8);

  private MetaReply handle(MetaRequest request) {
    session.ask(request.id());
    return handler.handle(request, session.id);
  }

  private void add(MetaRequest request) {
    MetaReply reply = handle(request);
    answers.add(session, request, reply, handler.takeChanged());
  }

  private static MetaRequest request(long id, MetaOp op, long inode, String name, long... numbers) {
    return MetaRequest.of(op, Caller.ROOT, inode, numbers).named(name).numbered(id);
  }

  /** Who asks for the file meanwhile may not remember it as it was; but the close stands, and who is told otherwise closes it again. */
  @Test
  void shouldNotSayThatACloseHasFailedWhichStandsThoughItWaitsForACommitThatFails() {
    long file = handle(request(1, MetaOp.CREATE, Inode.ROOT, "file", 0644, 1, -1, 0, 0, 3)).attributes().inode();
    assertEquals(Errno.OK, handler.commit());
    add(request(2, MetaOp.GETATTR, file, ""));
    add(request(3, MetaOp.MKDIR, Inode.ROOT, "d", 0755));
    MetaRequest close = request(4, MetaOp.CLOSE, file, "", MetaRequest.NOT_WRITTEN, 1, 0);
    MetaReply closed = handle(close);
    assertTrue(handler.isSettled());
    answers.addSettled(session, close, closed, handler.takeChanged());
    assertNull(session.answered(4), "it waits");
    disk.failAfter(0);
    answers.commit();
    assertEquals(List.of(Errno.EIO, Errno.EIO, Errno.OK), session.answering.stream().map(MetaReply::errno).toList());
    assertEquals(0, handler.state().open());
  }

  @Test
  void shouldNotWaitWithACloseThatStandsForWhatHasToDoWithOtherFiles() {
    long file = handle(request(1, MetaOp.CREATE, Inode.ROOT, "file", 0644, 1, -1, 0, 0, 3)).attributes().inode();
    assertEquals(Errno.OK, handler.commit());
    add(request(2, MetaOp.MKDIR, Inode.ROOT, "d", 0755));
    MetaRequest close = request(3, MetaOp.CLOSE, file, "", MetaRequest.NOT_WRITTEN, 1, 0);
    answers.addSettled(session, close, handle(close), handler.takeChanged());
    assertEquals(Errno.OK, session.answered(3).errno());
    assertNull(session.answered(2));
    answers.commit();
    assertEquals(Errno.OK, session.answered(2).errno());
  }
}
