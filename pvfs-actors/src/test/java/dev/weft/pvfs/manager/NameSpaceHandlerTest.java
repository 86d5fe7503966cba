package dev.weft.pvfs.manager;

import static dev.weft.pvfs.manager.Shown.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NameSpaceHandlerTest {
  private static final Caller ROOT = new Caller(0, 0, List.of());
  private static final int READ = 1;
  private static final int BOTH = 3;

  private final MemoryDisk disk = new MemoryDisk("disk");
  private final FileSystemLabel label = FileSystemLabel.random(1);
  private final IdleEffects effects = new IdleEffects();
  private long nowNs;
  private boolean canOpen = true;
  private NameSpaceHandler handler = start();

  private NameSpaceHandler start() {
    return new NameSpaceHandler(KeptNameSpace.open(() -> {
      if (!canOpen) {
        throw new StoreException("disk is away");
      }
      return disk.open();
    }, label, 1, StripingWish.NONE, () -> 1, () -> nowNs), List.of("1 pvfs"), () -> 1, 1_000_000_000L, effects);
  }

  private void startAgain() {
    handler.close();
    handler = start();
  }

  private int make(int number) {
    return handler.handle(MetaRequest.of(MetaOp.MKNOD, ROOT, Inode.ROOT, FileType.FIFO.modeBits() | 0644).named("f" + number), 1).errno();
  }

  private MetaReply create(String name, long session, int access) {
    return handler.handle(MetaRequest.of(MetaOp.CREATE, ROOT, Inode.ROOT, 0644, 1, -1, 0, 0, access).named(name), session);
  }

  /** With what a manager before has given. */
  private MetaRequest reclaim(long inode, int access, long session) {
    return MetaRequest.of(MetaOp.RECLAIM, ROOT, inode, access, 1, access == BOTH ? 1 : 0)
        .withValue(new Capabilities(label, () -> 0).grant(inode, access, session, 1).capability());
  }

  private MetaReply lookup(String name) {
    return handler.handle(MetaRequest.of(MetaOp.LOOKUP, ROOT, Inode.ROOT).named(name), 1);
  }

  private void commit() {
    assertEquals(Errno.OK, handler.commit());
  }

  /** Of a daemon that is away. */
  @Test
  void shouldCutAFileThoughMoreRemovalsWaitThanMayBeUnderWay() {
    long kept = create("kept", 1, BOTH).attributes().inode();
    for (int number = 0; number < EffectQueue.MAX + 10; number++) {
      long inode = create("f" + number, 1, BOTH).attributes().inode();
      handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, inode, 0, 1, 0), 1);
      assertEquals(Errno.OK, handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("f" + number), 1).errno());
      commit();
      handler.beginEffects(effects);
    }
    assertEquals(EffectQueue.MAX, effects.begun.size());
    handler.handle(MetaRequest.of(MetaOp.SETATTR, ROOT, kept, MetaRequest.SET_BYTES, 0, 0, 0, 77), 1);
    commit();
    handler.beginEffects(effects);
    Intent cut = effects.begun.getLast();
    assertEquals(List.of(Intent.Kind.TRUNCATE, kept), List.of(cut.kind(), cut.inode()));
    assertTrue(handler.effectDone(effects.begun.getFirst().id(), effects));
    handler.beginEffects(effects);
    assertEquals(Intent.Kind.REMOVE, effects.begun.getLast().kind());
    assertEquals(EffectQueue.MAX + 2, effects.begun.size());
  }

  /** Its first operations were answered OK, in replies that wait for the commit. */
  @Test
  void shouldSayThatABatchIsLostIfTheFirstPartOfItCouldNotBeWritten() {
    commit();
    disk.failAfter(0);
    for (int number = 0; number < Transaction.CHANGES_MAX; number++) {
      assertEquals(Errno.OK, make(number));
    }
    assertEquals(Errno.EIO, handler.commit());
    assertEquals(Errno.ENOENT, lookup("f0").errno());
    assertEquals(Errno.OK, make(0));
    commit();
  }

  @Test
  void shouldOpenAStoreAgainThatAFailedWriteHasClosedAndKeepWhatSessionsHaveOpen() {
    long open = create("open", 5, BOTH).attributes().inode();
    commit();
    disk.failUnsure(true);
    make(1);
    assertEquals(Errno.EIO, handler.commit());
    canOpen = false;
    assertEquals(Errno.EIO, lookup("open").errno());
    assertEquals("disk is away", handler.state().trouble());
    assertFalse(handler.endRecovery(Set.of()));
    handler.endSession(6);
    assertEquals(1, handler.state().ending());
    canOpen = true;
    assertEquals(Errno.EIO, lookup("open").errno(), "it is not tried all the time");
    nowNs += 1_000_000_000L;
    assertEquals(open, lookup("open").attributes().inode());
    assertEquals(Errno.OK, lookup("f1").errno(), "what nobody knew was on the disk");
    assertEquals(1, handler.state().reopened());
    assertEquals("", handler.state().trouble());
    handler.endSessions();
    assertEquals(0, handler.state().ending());
    assertEquals(Errno.OK, handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, open, 10, 1, 0), 5).errno());
    commit();
    assertEquals(10, lookup("open").attributes().bytes());
  }

  @Test
  void shouldRemoveAFileWithoutANameWhoseClientDoesNotComeBackAndKeepThatOfOneThatDoes() {
    long kept = create("kept", 5, BOTH).attributes().inode();
    long gone = create("gone", 6, READ).attributes().inode();
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("kept"), 7);
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("gone"), 7);
    commit();
    startAgain();
    assertTrue(handler.isRecovering());
    MetaRequest again = reclaim(kept, BOTH, 5);
    assertEquals(Errno.EACCES, handler.handle(again, 8).errno(), "what another one was given");
    assertEquals(Errno.EACCES, handler.handle(reclaim(gone, BOTH, 6).withValue(again.value()), 5).errno(), "for another file");
    assertEquals(Errno.EACCES, handler.handle(MetaRequest.of(MetaOp.RECLAIM, ROOT, kept, BOTH, 1, 1), 5).errno(), "without a capability");
    assertEquals(kept, handler.handle(again, 5).attributes().inode());
    assertEquals(Errno.OK, handler.handle(again, 5).errno(), "as often as it likes");
    commit();
    assertTrue(handler.endRecovery(Set.of(5L)));
    handler.beginEffects(effects);
    assertEquals(List.of(gone), effects.begun.stream().map(Intent::inode).toList());
    assertEquals(Errno.ESTALE, handler.handle(reclaim(gone, READ, 6), 6).errno());
    assertEquals(Errno.OK, handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, kept, -1, 1, 0), 5).errno());
    commit();
    handler.beginEffects(effects);
    assertEquals(List.of(gone, kept), effects.begun.stream().map(Intent::inode).toList());
  }

  @Test
  void shouldKeepAFileThatLosesItsNameBeforeItsClientHasComeBack() {
    long file = create("file", 5, READ).attributes().inode();
    commit();
    startAgain();
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("file"), 7);
    commit();
    assertEquals(Errno.OK, handler.handle(reclaim(file, READ, 5), 5).errno());
    commit();
    assertTrue(handler.endRecovery(Set.of(5L)));
    handler.beginEffects(effects);
    assertEquals(List.of(), effects.begun);
  }

  /** Ending it later would close what it has opened since. */
  @Test
  void shouldNotEndASessionThatHasComeBackBeforeItsEndCouldBeWritten() {
    long file = create("file", 5, BOTH).attributes().inode();
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("file"), 5);
    commit();
    disk.failAfter(0);
    handler.endSession(5);
    assertEquals(1, handler.state().ending());
    handler.beginSession(5);
    MetaReply made = create("new", 5, BOTH);
    commit();
    handler.endSessions();
    assertEquals(0, handler.state().ending());
    assertEquals(Errno.OK, handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, made.attributes().inode(), -1, 1, 0), 5).errno());
    assertEquals(Errno.OK, handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, file, -1, 1, 0), 5).errno());
    commit();
  }

  @Test
  void shouldStillNotKnowALengthThatItsWriterHasNotSaidWhenItStartsAgain() {
    create("open", 5, BOTH);
    long closed = create("closed", 5, BOTH).attributes().inode();
    handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, closed, 10, 1, 0), 5);
    commit();
    assertEquals(0, lookup("closed").number());
    startAgain();
    assertEquals(1, lookup("open").number());
    assertEquals(0, lookup("closed").number());
    assertEquals(10, lookup("closed").attributes().bytes());
    handler.handle(MetaRequest.of(MetaOp.OPEN, ROOT, closed, BOTH), 5);
    commit();
    startAgain();
    assertEquals(1, lookup("closed").number());
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("closed"), 5);
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("open"), 5);
    assertTrue(handler.endRecovery(Set.of()));
    handler.close();
    assertEquals(List.of(), disk.open().scan(Keys.LENGTHS, Keys.LENGTHS, 10));
  }

  @Test
  void shouldNotBelieveALengthWhoseCloseWasNotWritten() {
    long file = create("file", 5, BOTH).attributes().inode();
    commit();
    handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, file, 10, 1, 0), 5);
    disk.failAfter(0);
    assertEquals(Errno.EIO, handler.commit());
    assertEquals(1, lookup("file").number());
  }

  private MetaReply closeUnwritten(long file, long session) {
    return handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, file, MetaRequest.NOT_WRITTEN, 1, 0), session);
  }

  @Test
  void shouldCloseForGoodWhatWasNotWrittenWhateverBecomesOfTheBatchOfOthers() {
    long file = create("file", 5, BOTH).attributes().inode();
    commit();
    assertEquals(Errno.OK, make(1));
    assertFalse(handler.isSettled());
    assertEquals(Errno.OK, closeUnwritten(file, 5).errno());
    assertTrue(handler.isSettled());
    disk.failAfter(0);
    assertEquals(Errno.EIO, handler.commit());
    assertEquals(0, handler.state().open());
    assertEquals(Errno.EBADF, closeUnwritten(file, 5).errno());
    assertFalse(handler.isSettled());
    assertEquals(0, lookup("file").number(), "its length is known");
  }

  /** The store need not know it: then the daemons are asked for a length that they would not have to be asked for. */
  @Test
  void shouldWriteWithALaterCommitThatTheLengthOfAClosedFileIsKnown() {
    long file = create("file", 5, BOTH).attributes().inode();
    commit();
    assertEquals(Errno.OK, closeUnwritten(file, 5).errno());
    disk.failAfter(0);
    commit(); // Writes nothing.
    disk.crash(0);
    disk.failAfter(-1);
    handler = start();
    assertEquals(1, lookup("file").number());
    assertTrue(handler.endRecovery(Set.of()));
    handler.handle(MetaRequest.of(MetaOp.OPEN, ROOT, file, BOTH), 5);
    commit();
    assertEquals(Errno.OK, handler.handle(MetaRequest.of(MetaOp.CLOSE, ROOT, file, 0, 1, 0), 5).errno());
    assertFalse(handler.isSettled(), "it says a length");
    commit();
    handler.handle(MetaRequest.of(MetaOp.OPEN, ROOT, file, BOTH), 5);
    commit();
    assertEquals(Errno.OK, closeUnwritten(file, 5).errno());
    make(1);
    commit();
    disk.crash(0);
    handler = start();
    assertEquals(0, lookup("file").number(), "it was written with what came behind");
  }

  @Test
  void shouldWriteWhatNobodyWaitsForWhenItIsMuchAndWhenItEnds() {
    long[] files = new long[Transaction.LOOSE_MAX + 1];
    for (int i = 0; i < files.length; i++) {
      files[i] = create("file" + i, 5, BOTH).attributes().inode();
    }
    commit();
    for (int i = 0; i < files.length - 1; i++) {
      assertFalse(handler.isOverdue());
      closeUnwritten(files[i], 5);
    }
    assertTrue(handler.isOverdue());
    commit();
    assertFalse(handler.isOverdue());
    closeUnwritten(files[files.length - 1], 5);
    disk.crash(0);
    handler = start();
    assertEquals(0, lookup("file0").number());
    assertEquals(1, lookup("file" + (files.length - 1)).number());
    handler.handle(MetaRequest.of(MetaOp.OPEN, ROOT, files[0], BOTH), 5);
    commit();
    closeUnwritten(files[0], 5);
    startAgain();
    assertEquals(0, lookup("file0").number(), "whoever ends in order writes it");
  }

  @Test
  void shouldNotCloseForGoodWhatABatchMayUndo() {
    long file = create("file", 5, BOTH).attributes().inode();
    assertEquals(Errno.OK, closeUnwritten(file, 5).errno());
    assertFalse(handler.isSettled(), "it is made in this batch");
    commit();
    handler.handle(MetaRequest.of(MetaOp.OPEN, ROOT, file, BOTH), 5);
    commit();
    handler.handle(MetaRequest.of(MetaOp.OPEN, ROOT, file, READ), 6);
    closeUnwritten(file, 5);
    assertFalse(handler.isSettled(), "somebody else opens it in this batch");
    commit();
    handler.handle(MetaRequest.of(MetaOp.UNLINK, ROOT, Inode.ROOT).named("file"), 7);
    closeUnwritten(file, 6);
    assertFalse(handler.isSettled(), "its objects go with it");
    commit();
    handler.beginEffects(effects);
    assertEquals(List.of(file), effects.begun.stream().map(Intent::inode).toList());
  }

  @Test
  void shouldEndItsRecoveryThoughAnEndOfASessionCouldNotBeWrittenAtFirst() {
    handler.holds(5);
    handler.holds(6);
    commit();
    startAgain();
    disk.failAfter(0);
    assertFalse(handler.endRecovery(Set.of(6L)));
    assertTrue(handler.endRecovery(Set.of(6L)));
    assertEquals(Set.of(6L), handler.holders());
    startAgain();
    assertEquals(Set.of(6L), handler.holders());
  }

  @Test
  void shouldNotEndWhoComesBackBeforeItsEndIsWritten() {
    handler.holds(5);
    commit();
    startAgain();
    disk.failAfter(0);
    assertFalse(handler.endRecovery(Set.of()));
    handler.holds(5);
    commit();
    assertTrue(handler.endRecovery(Set.of(5L)));
    startAgain();
    assertEquals(Set.of(5L), handler.holders());
  }

  @Test
  void shouldKnowAfterARepairWhoHoldsSomethingThoughItHadNotBeenWritten() {
    handler.holds(5);
    assertEquals("", handler.check(true).problem());
    commit();
    startAgain();
    assertTrue(handler.isHolder(5));
  }

  /** Otherwise it would be done again after a crash, over what was written since. */
  @Test
  void shouldNotTakeAnEffectForDoneThatCouldNotBeRecorded() {
    long file = create("file", 5, 0).attributes().inode();
    commit();
    handler.handle(MetaRequest.of(MetaOp.SETATTR, ROOT, file, MetaRequest.SET_BYTES, 0, 0, 0, 7, 0, 0), 5);
    commit();
    Map<Long, Long> cut = handler.beginEffects(effects);
    long intent = cut.keySet().iterator().next();
    assertEquals(file, cut.get(intent));
    disk.failAfter(0);
    assertFalse(handler.effectDone(intent, effects));
    assertEquals(1, handler.state().effects());
    assertTrue(handler.effectDone(intent, effects));
    assertEquals(0, handler.state().effects());
    startAgain();
    assertEquals(Map.of(), handler.beginEffects(effects));
  }

  @Test
  void shouldRefuseAStoreOfAnotherFileSystemOrAnotherNumberOfDaemons() {
    handler.close();
    StoreException other = Assertions.assertThrows(StoreException.class,
        () -> KeptNameSpace.open(disk::open, FileSystemLabel.random(1), 1, StripingWish.NONE, () -> 1, () -> 1));
    assertTrue(other.getMessage().contains(label.id()), other.getMessage());
    StoreException more = Assertions.assertThrows(StoreException.class,
        () -> KeptNameSpace.open(disk::open, null, 2, StripingWish.NONE, () -> 1, () -> 1));
    assertTrue(more.getMessage().contains("1 I/O daemons, not of 2"), more.getMessage());
    try (KeptNameSpace any = KeptNameSpace.open(disk::open, null, 1, StripingWish.NONE, () -> 1, () -> 1)) {
      assertEquals(label, any.get().label());
      assertEquals(Errno.ENOENT, any.get().lookup(ROOT, Inode.ROOT, bytes("none")).errno());
    }
  }
}
