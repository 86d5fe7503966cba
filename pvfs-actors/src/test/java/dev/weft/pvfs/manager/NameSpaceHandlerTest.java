package dev.weft.pvfs.manager;

import static dev.weft.pvfs.manager.Shown.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.meta.LongValues;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.LongValue;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

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

  private MetaReply ask(MetaRequest request) {
    return handler.handle(request, 7);
  }

  private MetaReply ask(MetaOp op, long inode, String name, long... numbers) {
    return ask(MetaRequest.of(op, ROOT, inode, numbers).named(name));
  }

  private void assertRemovedButKnown(long inode) {
    FileAttributes of = ask(MetaOp.GETATTR, inode, "").attributes();
    assertEquals(List.of(inode, 0), List.of(of.inode(), of.links()));
    assertEquals(0700, ask(MetaOp.SETATTR, inode, "", MetaRequest.SET_MODE | MetaRequest.SET_UID, 0700, 5, 0, 0, 0, 0).attributes().mode() & 07777);
    assertEquals(5, ask(MetaOp.GETATTR, inode, "").attributes().uid());
  }

  /** The manager hears nothing of programs that hold it. */
  @Test
  void shouldAnswerForADirectoryThatIsOpenAndWasRemoved() {
    long directory = ask(MetaOp.MKDIR, Inode.ROOT, "d", 0755).attributes().inode();
    assertEquals(Errno.OK, ask(MetaOp.RMDIR, Inode.ROOT, "d").errno());
    commit();
    assertRemovedButKnown(directory);
    MetaReply page = ask(MetaOp.READDIR, directory, "", 0, 8192);
    assertEquals(List.of(Errno.OK, 0), List.of(page.errno(), page.value().length));
    assertEquals(Errno.ENOENT, ask(MetaOp.CREATE, directory, "f", 0644, 1).errno());
    assertEquals(Errno.ENOENT, ask(MetaOp.LOOKUP, directory, "f").errno());
    MetaRequest set = MetaRequest.of(MetaOp.SETXATTR, ROOT, directory, 0).named("user.a");
    assertEquals(Errno.OK, ask(set.withValue(new byte[] {7})).errno());
    assertArrayEquals(new byte[] {7}, ask(MetaOp.GETXATTR, directory, "user.a").value());
    assertEquals("user.a\0", new String(ask(MetaOp.LISTXATTR, directory, "").value(), StandardCharsets.US_ASCII));
    assertEquals(Errno.ENOSPC, ask(set.withValue(new byte[Graves.XATTR_BYTES_MAX])).errno());
    assertEquals(Errno.OK, ask(MetaOp.REMOVEXATTR, directory, "user.a").errno());
    assertEquals(Errno.ENODATA, ask(MetaOp.GETXATTR, directory, "user.a").errno());
    MetaRequest ofUser = MetaRequest.of(MetaOp.SETATTR, new Caller(9, 9, List.of()), directory, MetaRequest.SET_MODE, 0777);
    assertEquals(Errno.EPERM, ask(ofUser).errno());
  }

  @Test
  void shouldAnswerForWhatElseIsHeldAndWasRemovedOrReplaced() {
    long link = ask(MetaRequest.of(MetaOp.SYMLINK, ROOT, Inode.ROOT).named("s").withValue(bytes("to"))).attributes().inode();
    long fifo = ask(MetaOp.MKNOD, Inode.ROOT, "p", FileType.FIFO.modeBits() | 0600).attributes().inode();
    long file = ask(MetaOp.CREATE, Inode.ROOT, "f", 0600, 1).attributes().inode();
    long under = ask(MetaOp.MKDIR, Inode.ROOT, "under", 0755).attributes().inode();
    ask(MetaOp.MKDIR, Inode.ROOT, "over", 0755);
    assertEquals(Errno.OK, ask(MetaRequest.of(MetaOp.RENAME, ROOT, Inode.ROOT, 0).withOther(Inode.ROOT).named("over").withValue(bytes("under"))).errno());
    List.of("s", "p", "f").forEach(name -> assertEquals(Errno.OK, ask(MetaOp.UNLINK, Inode.ROOT, name).errno()));
    assertArrayEquals(bytes("to"), ask(MetaOp.READLINK, link, "").value());
    assertEquals(Errno.EINVAL, ask(MetaOp.READLINK, fifo, "").errno());
    assertEquals(0, ask(MetaOp.GETATTR, link, "").attributes().links());
    List.of(fifo, file, under).forEach(this::assertRemovedButKnown);
    assertEquals(Errno.ESTALE, ask(MetaOp.OPEN, file, "", READ).errno(), "its data is gone");
    assertEquals(Errno.ESTALE, ask(MetaOp.SETATTR, file, "", MetaRequest.SET_BYTES, 0, 0, 0, 0).errno());
    assertEquals(Errno.ESTALE, ask(MetaOp.GETATTR, 999, "").errno());
  }

  @Test
  void shouldForgetTheOldestOfWhatWasRemoved() {
    long directory = ask(MetaOp.MKDIR, Inode.ROOT, "d", 0755).attributes().inode();
    ask(MetaOp.RMDIR, Inode.ROOT, "d");
    for (int i = 0; i < 2 * Graves.MAX; i++) {
      boolean isFile = i < Graves.MAX;
      ask(isFile ? MetaOp.CREATE : MetaOp.MKDIR, Inode.ROOT, "n", 0644, 1);
      assertEquals(Errno.OK, ask(isFile ? MetaOp.UNLINK : MetaOp.RMDIR, Inode.ROOT, "n").errno());
      assertEquals(i == 2 * Graves.MAX - 1 ? Errno.ESTALE : Errno.OK, ask(MetaOp.GETATTR, directory, "").errno());
    }
  }

  @Test
  void shouldTakeAndGiveAttributesInPartsThatAreTooLongForOneMessage() {
    long file = create("f", 7, 0).attributes().inode();
    LongValues values = new LongValues();
    byte[] longest = new byte[LongValue.BYTES_MAX];
    new Random(1).nextBytes(longest);
    MetaRequest set = MetaRequest.of(MetaOp.SETXATTR, ROOT, file, 0).named("trusted.a");
    assertEquals(Errno.OK, values.write(this::ask, set, longest).errno());
    assertArrayEquals(longest, values.read(this::ask, MetaRequest.of(MetaOp.GETXATTR, ROOT, file, 0).named("trusted.a")).value());
    assertEquals(Errno.E2BIG, values.write(this::ask, set, new byte[LongValue.BYTES_MAX + 1]).errno());
    assertEquals(Errno.ENODATA, values.write(this::ask, MetaRequest.of(MetaOp.SETXATTR, ROOT, file, NameSpace.XATTR_REPLACE).named("user.b"), longest).errno());
    assertEquals(Errno.OK, values.write(this::ask, set, new byte[0]).errno());
    assertEquals(0, values.read(this::ask, MetaRequest.of(MetaOp.GETXATTR, ROOT, file, 0).named("trusted.a")).value().length);
  }

  @Test
  void shouldListAllNamesThatAFileMayHave() {
    long file = create("f", 7, 0).attributes().inode();
    int count = 0;
    while (ask(MetaRequest.of(MetaOp.SETXATTR, ROOT, file, 0).named("user." + "n".repeat(240) + count).withValue(new byte[1])).errno() == Errno.OK) {
      count++;
    }
    byte[] names = new LongValues().read(this::ask, MetaRequest.of(MetaOp.LISTXATTR, ROOT, file, 0)).value();
    assertEquals(count, new String(names, StandardCharsets.US_ASCII).chars().filter(one -> one == 0).count());
    assertTrue(names.length > MetaReply.VALUE_BYTES_MAX && names.length <= LongValue.BYTES_MAX, () -> names.length + " bytes");
  }

  @Test
  void shouldSendAValueAnewThatTheManagerLost() {
    long file = create("f", 7, 0).attributes().inode();
    byte[] value = new byte[20_000];
    value[19_999] = 1;
    boolean[] hasLost = new boolean[1];
    MetaReply written = new LongValues().write(request -> {
      if (request.op() == MetaOp.SETXATTR && !hasLost[0]) {
        hasLost[0] = true;
        commit();
        startAgain();
      }
      return ask(request);
    }, MetaRequest.of(MetaOp.SETXATTR, ROOT, file, 0).named("user.a"), value);
    assertEquals(List.of(Errno.OK, true), List.of(written.errno(), hasLost[0]));
    assertArrayEquals(value, new LongValues().read(this::ask, MetaRequest.of(MetaOp.GETXATTR, ROOT, file, 0).named("user.a")).value());
  }

  @Test
  void shouldNotPutPartsOfTwoValuesTogether() {
    long file = create("f", 7, 0).attributes().inode();
    byte[] first = new byte[40_000];
    byte[] second = new byte[40_000];
    Arrays.fill(second, (byte) 2);
    MetaRequest set = MetaRequest.of(MetaOp.SETXATTR, ROOT, file, 0).named("user.a");
    new LongValues().write(this::ask, set, first);
    boolean[] hasChanged = new boolean[1];
    byte[] read = new LongValues().read(request -> {
      if (MetaArguments.Getxattr.of(request).from() > 0 && !hasChanged[0]) {
        hasChanged[0] = true;
        new LongValues().write(this::ask, set, second);
      }
      return ask(request);
    }, MetaRequest.of(MetaOp.GETXATTR, ROOT, file, 0).named("user.a")).value();
    assertArrayEquals(second, read);
    assertTrue(hasChanged[0]);
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
