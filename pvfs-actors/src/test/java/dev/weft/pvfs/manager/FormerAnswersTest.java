package dev.weft.pvfs.manager;

import static dev.weft.pvfs.manager.Shown.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.Batch;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.store.MemoryStore;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** What a manager knows of changes that the one before has done: asked for once more, each is answered as it was, and done once. */
class FormerAnswersTest {
  private static final Caller USER = new Caller(10, 20, List.of());
  private static final long SESSION = 5;
  private static final int BOTH = 3;

  private final MemoryDisk disk = new MemoryDisk("disk");
  private final FileSystemLabel label = FileSystemLabel.random(1);
  private final IdleEffects effects = new IdleEffects();
  private MemoryStore store;
  private NameSpaceHandler handler = start();
  private long lastId;

  private NameSpaceHandler start() {
    KeptNameSpace kept = KeptNameSpace.open(() -> store = disk.open(), label, 1, StripingWish.NONE, () -> 1, () -> 0);
    return new NameSpaceHandler(kept, List.of("1 pvfs"), () -> 1, 1_000_000_000L, effects);
  }

  /** The manager was killed: what was not committed is gone, and nobody has been answered. */
  private void kill() {
    disk.crash(0);
    handler = start();
  }

  private void commit() {
    assertEquals(Errno.OK, handler.commit());
  }

  private MetaRequest request(MetaOp op, long inode, String name, long... numbers) {
    return MetaRequest.of(op, Caller.ROOT, inode, numbers).named(bytes(name)).numbered(++lastId).inSlot(0);
  }

  private MetaRequest mkdir(String name) {
    return request(MetaOp.MKDIR, Inode.ROOT, name, 0755);
  }

  private MetaRequest create(String name, int access, int exclusive) {
    return request(MetaOp.CREATE, Inode.ROOT, name, 0644, exclusive, -1, 0, 0, access);
  }

  private MetaRequest cut(long inode, long bytes) {
    return request(MetaOp.SETATTR, inode, "", MetaRequest.SET_BYTES, 0, 0, 0, bytes);
  }

  private MetaReply done(MetaRequest request) {
    MetaReply reply = handler.handle(request, SESSION);
    assertEquals("OK", Errno.name(reply.errno()), request::toString);
    return reply;
  }

  private long madeBefore(MetaRequest request) {
    long inode = done(request).attributes().inode();
    commit();
    return inode;
  }

  private int errno(MetaRequest request) {
    return handler.handle(request, SESSION).errno();
  }

  /** Done, committed and not answered; what the next manager says to it. */
  private MetaReply again(MetaRequest request) {
    MetaReply first = done(request);
    assertNull(handler.repeated(request, SESSION), "this manager has it in memory until it is answered");
    commit();
    kill();
    MetadataHandler.Repeated second = handler.repeated(request, SESSION);
    assertNotNull(second, request::toString);
    assertEquals(request.id(), second.reply().id());
    assertEquals("OK", Errno.name(second.reply().errno()));
    assertEquals(first.attributes(), second.reply().attributes());
    commit();
    return second.reply();
  }

  private boolean isKnown(MetaRequest request) {
    return handler.repeated(request, SESSION) != null;
  }

  private List<byte[]> records() {
    return store.scan(Keys.ANSWERS, Keys.ANSWERS, 100).stream().map(entry -> entry.key()).toList();
  }

  @Test
  void shouldAnswerAgainWhatEveryChangeWasAnswered() {
    long directory = again(mkdir("d")).attributes().inode();
    assertEquals(Errno.EEXIST, errno(mkdir("d")), "as another request it is another one");
    long file = again(create("f", 0, 1)).attributes().inode();
    again(request(MetaOp.LINK, directory, "f2").withOther(file));
    again(request(MetaOp.SYMLINK, Inode.ROOT, "s").withValue(bytes("target")));
    again(request(MetaOp.MKNOD, Inode.ROOT, "fifo", FileType.FIFO.modeBits() | 0644));
    again(request(MetaOp.RENAME, Inode.ROOT, "f", 0).withOther(Inode.ROOT).withValue(bytes("g")));
    again(request(MetaOp.SETXATTR, file, "user.a", NameSpace.XATTR_CREATE).withValue(bytes("1")));
    again(request(MetaOp.REMOVEXATTR, file, "user.a"));
    again(request(MetaOp.SETSTRIPE, directory, "", 0, 1, 65_536));
    assertEquals(0600, again(request(MetaOp.SETATTR, file, "", MetaRequest.SET_MODE, 0600)).attributes().mode() & 07777);
    again(request(MetaOp.UNLINK, Inode.ROOT, "g"));
    again(request(MetaOp.UNLINK, directory, "f2"));
    again(request(MetaOp.RMDIR, Inode.ROOT, "d"));
    assertEquals(Errno.ENOENT, errno(request(MetaOp.RMDIR, Inode.ROOT, "d")));
    assertEquals(1, records().size(), "all were in one slot");
  }

  @Test
  void shouldKnowARequestByItsSessionSlotNumberAndOperation() {
    MetaRequest made = mkdir("d");
    again(made);
    assertNull(handler.repeated(made, SESSION + 1));
    assertFalse(isKnown(made.inSlot(1)));
    assertFalse(isKnown(made.inSlot(MetaRequest.NO_SLOT)));
    assertFalse(isKnown(made.numbered(made.id() + 1)));
    assertFalse(isKnown(create("d", 0, 0).numbered(made.id())));
    assertTrue(isKnown(made));
  }

  @Test
  void shouldKeepTheLastAnswerOfEachSlot() {
    MetaRequest first = mkdir("a");
    MetaRequest beside = mkdir("b").inSlot(MetaRequest.SLOTS - 1);
    MetaRequest next = mkdir("c");
    List.of(first, beside, next).forEach(this::done);
    commit();
    kill();
    assertFalse(isKnown(first), "its slot was used again: the client has the answer");
    assertTrue(isKnown(beside));
    assertTrue(isKnown(next));
    done(mkdir("d"));
    assertFalse(isKnown(next));
    commit();
    kill();
    assertTrue(isKnown(beside), "over two managers");
    assertFalse(isKnown(next));
    assertEquals(2, records().size());
  }

  @Test
  void shouldKeepNoAnswerToWhatHasChangedNothingOrHasNoSlot() {
    MetaRequest made = create("f", BOTH, 0);
    again(made);
    handler.endSession(SESSION);
    MetaRequest opened = create("f", BOTH, 0);
    MetaRequest refused = mkdir("f").inSlot(1);
    MetaRequest slotless = mkdir("d").inSlot(MetaRequest.NO_SLOT);
    MetaRequest open = request(MetaOp.OPEN, handler.handle(opened, SESSION).attributes().inode(), "", BOTH).inSlot(2);
    assertEquals(Errno.EEXIST, errno(refused));
    done(slotless);
    done(open);
    commit();
    kill();
    List.of(opened, refused, slotless, open).forEach(request -> assertFalse(isKnown(request), request::toString));
  }

  @Test
  void shouldKeepAnswersInTheBatchOfTheirChangesOnly() {
    MetaRequest lost = mkdir("a");
    done(lost);
    kill();
    assertFalse(isKnown(lost));
    done(lost);
    disk.failAfter(0);
    assertEquals(Errno.EIO, handler.commit());
    disk.failAfter(-1);
    MetaRequest other = mkdir("b").inSlot(1);
    done(other);
    commit();
    kill();
    assertFalse(isKnown(lost), "it failed");
    assertTrue(isKnown(other));
    assertEquals(Errno.OK, errno(lost));
  }

  /** It is written early then; of what came last, the change and its answer are lost together. */
  @Test
  void shouldKeepAnswersInTheBatchOfTheirChangesWhereThatIsAsLargeAsItMayBe() {
    List<MetaRequest> all = new ArrayList<>();
    for (int i = 0; i < Transaction.CHANGES_MAX / 2; i++) {
      all.add(mkdir("d" + i));
      done(all.getLast());
    }
    kill();
    List<MetaRequest> known = all.stream().filter(this::isKnown).toList();
    assertEquals(1, known.size());
    assertNotNull(handler.repeated(known.getFirst(), SESSION).reply().attributes());
    int last = all.indexOf(known.getFirst());
    assertEquals(Errno.OK, errno(MetaRequest.of(MetaOp.LOOKUP, Caller.ROOT, Inode.ROOT).named("d" + last)));
    assertEquals(Errno.ENOENT, errno(MetaRequest.of(MetaOp.LOOKUP, Caller.ROOT, Inode.ROOT).named("d" + (last + 1))));
  }

  /** The manager before had it open for the client, which does not know that, and cannot claim it. */
  @Test
  void shouldOpenAFileOnceMoreThatTheManagerBeforeHasMade() {
    MetaRequest made = request(MetaOp.CREATE, Inode.ROOT, "f", 0, 1, -1, 0, 0, BOTH); // Nobody but root might open it.
    MetaRequest byUser = new MetaRequest(made.op(), made.id(), made.slot(), USER, made.inode(), 0, made.numbers(), made.name(), made.value());
    done(request(MetaOp.SETATTR, Inode.ROOT, "", MetaRequest.SET_MODE, 0777).inSlot(1));
    long file = again(byUser).attributes().inode();
    assertEquals(1, handler.state().open());
    assertNotNull(handler.handle(MetaRequest.of(MetaOp.RENEW, USER, file), SESSION).grant(), "with all that it has it open for");
    assertEquals(Errno.OK, errno(request(MetaOp.CLOSE, file, "", 10, 1)));
    assertEquals(Errno.EBADF, errno(request(MetaOp.CLOSE, file, "", 10, 1)));
    commit();
    assertEquals(0, handler.state().open());
  }

  @Test
  void shouldOpenAFileThatHasLostItsNameMeanwhileAndSayESTALEOfOneThatIsGone() {
    MetaRequest made = create("f", BOTH, 1);
    long file = madeBefore(made);
    kill();
    assertEquals(Errno.OK, handler.handle(request(MetaOp.UNLINK, Inode.ROOT, "f"), SESSION + 1).errno());
    commit();
    assertEquals(file, handler.repeated(made, SESSION).reply().attributes().inode());
    commit();
    assertTrue(handler.endRecovery(Set.of(SESSION)));
    assertEquals(1, handler.state().open());
    assertEquals(Errno.OK, errno(request(MetaOp.CLOSE, file, "", -1, 1)));
    commit();
    assertEquals(Errno.ESTALE, handler.repeated(made, SESSION).reply().errno());
  }

  @Test
  void shouldSayWhetherDaemonsStillHaveToCutTheFile() {
    long file = madeBefore(create("f", 0, 1));
    MetaRequest cut = cut(file, 100);
    done(cut);
    commit();
    kill();
    long intent = handler.repeated(cut, SESSION).intent();
    assertEquals(Set.of(intent), handler.beginEffects(effects).keySet());
    assertEquals(100, handler.repeated(cut, SESSION).reply().attributes().bytes());
    commit();
    assertEquals(Set.of(), handler.beginEffects(effects).keySet(), "it is not cut again");
    assertTrue(handler.effectDone(intent, effects));
    assertEquals(KeptAnswer.NO_INTENT, handler.repeated(cut, SESSION).intent());
    kill();
    assertEquals(KeptAnswer.NO_INTENT, handler.repeated(cut, SESSION).intent());
  }

  /** The answer that is kept said that it was done. */
  @Test
  void shouldDoACutAnewThatTheDaemonsHaveRefusedMeanwhile() {
    long file = madeBefore(create("f", 0, 1));
    MetaRequest cut = cut(file, 1L << 46);
    done(cut);
    commit();
    kill();
    long intent = handler.repeated(cut, SESSION).intent();
    handler.beginEffects(effects);
    assertTrue(handler.effectRefused(intent, 300, effects));
    assertFalse(isKnown(cut));
    assertEquals(300, handler.attributes(file).bytes());
    kill();
    assertFalse(isKnown(cut));
    assertEquals(List.of(), records(), "its slot had one answer, that one");
    assertEquals(300, handler.attributes(file).bytes());
    MetaReply again = done(cut);
    assertEquals(1L << 46, again.attributes().bytes());
    commit();
    assertEquals(1, handler.beginEffects(effects).size(), "it is asked of the daemons once more");
  }

  /** A length that was reported after the cut is not taken back. */
  @Test
  void shouldKeepTheLengthThatWasReportedBehindACutThatWasRefused() {
    long file = madeBefore(create("f", BOTH, 1));
    done(cut(file, 1L << 46));
    commit();
    long intent = handler.beginEffects(effects).keySet().iterator().next();
    done(cut(file, 7));
    commit();
    assertTrue(handler.effectRefused(intent, 300, effects));
    assertEquals(7, handler.attributes(file).bytes());
  }

  @Test
  void shouldForgetTheAnswersOfASessionThatHasEnded() {
    MetaRequest ended = mkdir("a");
    done(ended);
    done(mkdir("b").inSlot(200));
    handler.endSession(SESSION);
    assertEquals(List.of(), records());
    kill();
    assertFalse(isKnown(ended));
    MetaRequest away = mkdir("c");
    done(away);
    commit();
    kill();
    assertTrue(isKnown(away));
    handler.endSession(SESSION); // It has stayed away for too long.
    assertFalse(isKnown(away));
    assertEquals(List.of(), records());
  }

  @Test
  void shouldForgetTheAnswersOfThoseThatHaveNotComeBackInTime() {
    MetaRequest back = mkdir("a");
    MetaRequest away = mkdir("b");
    done(back);
    assertEquals(Errno.OK, handler.handle(away, SESSION + 1).errno());
    commit();
    kill();
    assertTrue(handler.endRecovery(Set.of(SESSION)));
    assertTrue(isKnown(back));
    assertNull(handler.repeated(away, SESSION + 1));
    assertEquals(1, records().size());
  }

  @Test
  void shouldFindMoreAnswersThanFitOnAPage() {
    for (long session = 1; session <= 11; session++) {
      for (int slot = 0; slot < MetaRequest.SLOTS; slot++) {
        assertEquals(Errno.OK, handler.handle(mkdir(session + "-" + slot).numbered(slot).inSlot(slot), session).errno());
      }
    }
    commit();
    kill();
    for (long session = 1; session <= 11; session++) {
      for (int slot = 0; slot < MetaRequest.SLOTS; slot++) {
        assertNotNull(handler.repeated(mkdir("").numbered(slot).inSlot(slot), session), session + " " + slot);
      }
    }
  }

  @Test
  void shouldReadARecordAsItWasWritten() {
    InodeDraft draft = new InodeDraft(77, FileType.REGULAR);
    draft.sizeHint = 5;
    for (KeptAnswer answer : List.of(new KeptAnswer(-3, MetaOp.CREATE, draft.inode(), 0), new KeptAnswer(9, MetaOp.RENAME, null, 12))) {
      assertEquals(answer, Values.answer(Values.answer(answer)));
    }
    assertEquals(new KeptAnswer.Place(5, 255), Keys.place(Keys.answer(5, 255)));
    byte[] newer = Values.answer(new KeptAnswer(9, MetaOp.RENAME, null, 12));
    newer[0] = Values.VERSION + 1;
    assertTrue(assertThrows(StoreException.class, () -> Values.answer(newer)).getMessage().contains("start a newer one"));
  }

  /** Whatever is on the disk: an answer, or an error that says that it is damaged. */
  @Test
  void shouldSurviveARecordOfGarbage() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    byte[] good = Values.answer(new KeptAnswer(-3, MetaOp.CREATE, new InodeDraft(77, FileType.REGULAR).inode(), 0));
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = good.clone();
      for (int i = random.nextInt(4); i >= 0; i--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
      }
      byte[] cut = random.nextBoolean() ? bytes : Arrays.copyOf(bytes, random.nextInt(bytes.length));
      try {
        KeptAnswer read = Values.answer(cut);
        assertEquals(read, Values.answer(Values.answer(read)), "seed " + seed);
      } catch (StoreException damaged) {
        assertNotNull(damaged.getMessage());
      }
    }
  }

  @Test
  void shouldRefuseADamagedRecordUntilItIsRepaired() {
    Batch batch = new Batch();
    batch.put(Keys.answer(SESSION, 3), new byte[] {1, 2});
    store.commit(batch, true);
    StoreException damaged = assertThrows(StoreException.class, this::kill);
    assertEquals("metadata of an answer are damaged: too short", damaged.getMessage());
    assertEquals(1, Fsck.repair(store).size());
    kill();
    assertEquals(List.of(), records());
  }
}
