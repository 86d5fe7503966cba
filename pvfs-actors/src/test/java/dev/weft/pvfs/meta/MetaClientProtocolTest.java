package dev.weft.pvfs.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Player;
import dev.weft.pvfs.Player.Down;
import dev.weft.pvfs.Player.Heard;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Player.Wanted;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.FileAttributes;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.Grant;
import dev.weft.pvfs.wire.ManagerHello;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol of a client of the manager, message by message: a probe plays the manager, also one that answers late, twice, or has begun anew. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class MetaClientProtocolTest {
  private static final String SERVICE = "pvfs-manager";
  private static final int CREDITS = 4;
  private static final int TASKS_MAX = 16;
  private static final long FILE = 7;
  private static final FileAttributes ATTRIBUTES = new FileAttributes(FILE, 0100644, 0, 0, 1, 0, 0, 0, 0, new Striping(0, 1, 65_536, 1));

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString(
      "weft.hca.pin-memory = false\nweft.pvfs.client { reconnect = 10 ms, patience = 1 s, tasks-max = " + TASKS_MAX + " }"));
  private final Node host = fabric.addNode("client");
  private final HcaSnapshot before = host.hca().inspect();
  private final Player manager = Player.on(fabric, "manager");
  private final List<Integer> heard = new CopyOnWriteArrayList<>();
  private MetaClient client;
  private long session;
  private int line;

  @BeforeEach
  void start() {
    manager.listen(SERVICE);
    client = MetaClient.start(fabric, host, "test", new DaemonAddress("manager", SERVICE), fabric.config());
    takeIn(1);
  }

  private void takeIn(long incarnation) {
    Wanted wanted = manager.next(Wanted.class);
    ManagerHello hello = ManagerHello.decode(wanted.said());
    assertTrue(session == 0 || session == hello.session(), "it is the same client");
    session = hello.session();
    line = wanted.line();
    manager.accept(line, new ManagerHello(session, incarnation, CREDITS).encode());
    assertEquals(line, manager.next(Up.class).line());
  }

  /** Whatever its manager did: it says good-bye, and nothing is left of it. */
  @AfterEach
  void nothingIsLeft() throws InterruptedException {
    try {
      Thread bye = Thread.startVirtualThread(() -> answer(expect(MetaOp.BYE).id()));
      client.close();
      bye.join();
      HcaSnapshot now = host.hca().inspect();
      assertEquals(before.queuePairs().size(), now.queuePairs().size(), "queue pairs");
      assertEquals(before.memoryRegions().size(), now.memoryRegions().size(), "registered memory");
      assertEquals(before.protectionDomains().size(), now.protectionDomains().size(), "domains");
    } finally {
      fabric.close();
    }
  }

  private static void await(BooleanSupplier condition, String what) {
    Waits.await(condition, () -> what);
  }

  private MetaRequest expect(MetaOp op) {
    Heard next = manager.next(Heard.class);
    assertEquals(line, next.line());
    MetaRequest request = MetaRequest.decode(ByteBuffer.wrap(next.message()));
    assertEquals(op, request.op());
    return request;
  }

  private void say(MetaReply reply) {
    ByteBuffer out = ByteBuffer.allocate(MetaReply.BYTES_MAX);
    reply.encode(out);
    manager.say(line, Arrays.copyOf(out.array(), out.position()));
  }

  private void answer(long id) {
    say(MetaReply.ok(id));
  }

  private void expectEnd(long incarnation) {
    assertEquals(line, manager.next(Down.class).line());
    takeIn(incarnation);
  }

  /** Its errno comes to {@link #heard}. */
  private void ask(MetaRequest request) {
    assertTrue(client.tryAsk(request, reply -> heard.add(reply.errno())));
  }

  private void ask(MetaOp op) {
    ask(MetaRequest.of(op, Caller.ROOT, FILE));
  }

  private void expectHeard(Integer... errnos) {
    await(() -> heard.size() >= errnos.length, "it is answered: " + heard);
    assertEquals(List.of(errnos), heard);
  }

  private MetaReply opened(long id) {
    return new MetaReply(id, Errno.OK, ATTRIBUTES, 0, new byte[0], new Grant(capability((byte) 5), 1_000_000_000_000L));
  }

  private static byte[] capability(byte mark) {
    byte[] capability = new byte[CapabilityKey.ENCODED_BYTES];
    capability[0] = mark;
    return capability;
  }

  @Test
  void shouldTakeAnswersInAnyOrderAndSendNoMoreThanItsCredits() {
    for (int i = 0; i < CREDITS + 1; i++) {
      ask(MetaOp.GETATTR);
    }
    long[] ids = new long[CREDITS];
    for (int i = 0; i < CREDITS; i++) {
      ids[i] = expect(MetaOp.GETATTR).id();
    }
    manager.expectNothing();
    say(MetaReply.failed(ids[3], Errno.ENOENT));
    long last = expect(MetaOp.GETATTR).id();
    say(MetaReply.failed(last, Errno.EIO));
    answer(ids[1]);
    answer(ids[0]);
    answer(ids[2]);
    expectHeard(Errno.ENOENT, Errno.EIO, 0, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"twice", "wrong id", "cut", "version"})
  void shouldEndTheConnectionAndRepeatUnderTheSameNumberWhereAnAnswerIsWrong(String wrong) {
    ask(MetaOp.GETATTR);
    long first = expect(MetaOp.GETATTR).id();
    ask(MetaOp.MKDIR);
    long id = expect(MetaOp.MKDIR).id();
    answer(first);
    switch (wrong) {
      case "twice" -> answer(first);
      case "wrong id" -> answer(id + 1);
      case "cut" -> manager.say(line, new byte[] {DaemonRequest.VERSION, 0, 0});
      case "version" -> manager.say(line, new byte[40]);
      default -> throw new AssertionError(wrong);
    }
    expectEnd(1);
    assertEquals(id, expect(MetaOp.MKDIR).id());
    answer(id);
    expectHeard(0, 0);
  }

  @Test
  void shouldRepeatInOrderBeforeWhatIsNewAndClaimNothingWhereTheManagerKnowsIt() {
    ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, FILE, 3));
    say(opened(expect(MetaOp.OPEN).id()));
    ask(MetaOp.MKDIR);
    ask(MetaOp.UNLINK);
    long made = expect(MetaOp.MKDIR).id();
    long gone = expect(MetaOp.UNLINK).id();
    int old = line;
    manager.hangUp(old);
    ask(MetaOp.RMDIR);
    takeIn(1);
    assertEquals(made, expect(MetaOp.MKDIR).id());
    assertEquals(gone, expect(MetaOp.UNLINK).id());
    long next = expect(MetaOp.RMDIR).id();
    answer(next);
    answer(gone);
    answer(made);
    expectHeard(0, 0, 0, 0);
  }

  /** That a slot is used again tells managers that the answer to the change before has come. */
  @Test
  void shouldGiveEachChangeASlotThatItKeepsUntilItIsAnswered() {
    ask(MetaOp.MKDIR);
    ask(MetaOp.GETATTR);
    ask(MetaOp.UNLINK);
    MetaRequest made = expect(MetaOp.MKDIR);
    assertEquals(MetaRequest.NO_SLOT, expect(MetaOp.GETATTR).slot(), "it changes nothing");
    MetaRequest gone = expect(MetaOp.UNLINK);
    assertEquals(List.of(0, 1), List.of(made.slot(), gone.slot()));
    manager.hangUp(line);
    takeIn(2);
    expect(MetaOp.CLAIMED);
    assertEquals(0, expect(MetaOp.MKDIR).slot(), "it is the same one");
    long read = expect(MetaOp.GETATTR).id();
    assertEquals(1, expect(MetaOp.UNLINK).slot());
    ask(MetaOp.RMDIR); // Waits: all credits are used.
    answer(made.id());
    assertEquals(0, expect(MetaOp.RMDIR).slot());
    answer(gone.id());
    ask(MetaRequest.of(MetaOp.RENAME, Caller.ROOT, FILE));
    MetaRequest renamed = expect(MetaOp.RENAME);
    assertEquals(1, renamed.slot());
    answer(read);
    answer(renamed.id());
    expectHeard(0, 0, 0, 0);
    manager.hangUp(line);
    await(() -> heard.size() == 5, "patience ends"); // The caller of RMDIR has its error.
    takeIn(2);
    expect(MetaOp.CLAIMED);
    ask(MetaOp.MKDIR);
    MetaRequest next = expect(MetaOp.MKDIR);
    assertEquals(0, next.slot(), "what was given up needs none");
    answer(next.id());
  }

  @Test
  void shouldClaimWhatIsOpenBeforeItRepeatsAnythingAtAManagerThatHasBegunAnew() {
    ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, FILE, 3));
    say(opened(expect(MetaOp.OPEN).id()));
    ask(MetaOp.CLOSE);
    long close = expect(MetaOp.CLOSE).id();
    manager.hangUp(line);
    takeIn(2);
    MetaRequest claim = expect(MetaOp.RECLAIM);
    assertEquals(FILE, claim.inode());
    assertEquals(List.of(3L, 1L, 1L), claim.numbers());
    assertEquals(5, claim.value()[0], "with the last capability");
    expect(MetaOp.CLAIMED);
    assertEquals(close, expect(MetaOp.CLOSE).id());
    manager.hangUp(line); // Before it has answered; and another one begins anew.
    takeIn(3);
    claim = expect(MetaOp.RECLAIM);
    answer(expect(MetaOp.CLAIMED).id());
    assertEquals(close, expect(MetaOp.CLOSE).id());
    say(new MetaReply(claim.id(), Errno.OK, ATTRIBUTES, 0, new byte[0], new Grant(capability((byte) 6), 1_000_000_000_000L)));
    answer(close);
    expectHeard(0, 0);
    assertNull(client.grants().of(FILE, DaemonOp.READ), "it is closed");
  }

  /** The length that it told may be old by then: it tells none. */
  @Test
  void shouldCloseAgainWhatTheManagersStoreCouldNotClose() {
    ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, FILE, 3));
    say(opened(expect(MetaOp.OPEN).id()));
    ask(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, FILE, 4096, 1, 0, 1));
    say(MetaReply.failed(expect(MetaOp.CLOSE).id(), Errno.ENOSPC));
    expectHeard(0, Errno.ENOSPC);
    MetaRequest again = expect(MetaOp.CLOSE);
    assertEquals(FILE, again.inode());
    assertEquals(List.of(-2L, 1L, 1L, 0L), again.numbers());
    say(MetaReply.failed(again.id(), Errno.EROFS));
    MetaRequest third = expect(MetaOp.CLOSE);
    assertTrue(third.id() != again.id(), "the manager remembers its answer to that one");
    assertEquals(again.numbers(), third.numbers());
    answer(third.id());
    ask(MetaOp.GETATTR);
    answer(expect(MetaOp.GETATTR).id());
    expectHeard(0, Errno.ENOSPC, 0);
    assertNull(client.grants().of(FILE, DaemonOp.READ), "it is closed");
  }

  @Test
  void shouldCloseWhatALateAnswerHasOpened() {
    manager.hangUp(line);
    Wanted wanted = manager.next(Wanted.class);
    line = wanted.line();
    manager.accept(line, new ManagerHello(session, 1, CREDITS).encode());
    manager.next(Up.class);
    ask(MetaRequest.of(MetaOp.OPEN, Caller.ROOT, FILE, 3));
    long open = expect(MetaOp.OPEN).id();
    manager.hangUp(line);
    Wanted again = manager.next(Wanted.class);
    expectHeard(Errno.ETIMEDOUT);
    line = again.line();
    manager.accept(line, new ManagerHello(session, 1, CREDITS).encode());
    manager.next(Up.class);
    assertEquals(open, expect(MetaOp.OPEN).id(), "it may have been done");
    say(opened(open));
    MetaRequest close = expect(MetaOp.CLOSE);
    assertEquals(FILE, close.inode());
    answer(close.id());
    expectHeard(Errno.ETIMEDOUT);
  }

  private void events(MetaRequest request, long epoch, MetaEvent... events) {
    say(MetaReply.of(request.id(), epoch, MetaEvent.encode(5_000_000_000L, List.of(events))));
  }

  @Test
  void shouldHearEachEventOnceThoughTheManagerRepeatsIt() {
    List<Long> changed = new CopyOnWriteArrayList<>();
    client.events().listen(new EventListener() {
      @Override
      public void onEvent(MetaEvent event) {
        changed.add(event.subject());
      }
    });
    MetaRequest asked = expect(MetaOp.EVENTS);
    MetaEvent one = new MetaEvent(1, MetaEvent.Kind.CHANGED, 100);
    MetaEvent two = new MetaEvent(2, MetaEvent.Kind.CHANGED, 200);
    events(asked, 77, one);
    asked = expect(MetaOp.EVENTS);
    assertEquals(List.of(77L, 1L), asked.numbers(), "it has done it");
    manager.hangUp(line);
    takeIn(1);
    assertEquals(asked.id(), expect(MetaOp.EVENTS).id());
    events(asked, 77, one, two);
    asked = expect(MetaOp.EVENTS);
    assertEquals(List.of(77L, 2L), asked.numbers());
    assertEquals(List.of(100L, 200L), changed);
    events(asked, 77);
    expect(MetaOp.EVENTS);
  }

  /** Who waits in a thread waits for room, too; events are asked for when there is some, or no lock would ever be told. */
  @Test
  void shouldWaitForALockAndCloseFilesThoughAsMuchIsUnderWayAsMayBe() throws Exception {
    for (int i = 0; i < TASKS_MAX; i++) {
      ask(MetaOp.GETATTR);
    }
    List<MetaRequest> asked = new ArrayList<>();
    for (int i = 0; i < CREDITS; i++) {
      asked.add(expect(MetaOp.GETATTR));
    }
    CompletableFuture<Integer> lock = new CompletableFuture<>();
    FileLock whole = FileLock.whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE, 0);
    Thread.startVirtualThread(() -> lock.complete(client.locks().await(FILE, whole, Duration.ofSeconds(30))));
    CompletableFuture<Integer> close = new CompletableFuture<>();
    client.askSurely(MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, FILE, MetaRequest.NOT_WRITTEN, 0, 0), reply -> close.complete(reply.errno()));
    manager.expectNothing();
    asked.forEach(each -> answer(each.id()));
    Set<MetaOp> wanted = EnumSet.of(MetaOp.EVENTS, MetaOp.LOCK, MetaOp.CLOSE);
    for (int i = 0; i < TASKS_MAX - CREDITS + wanted.size(); i++) {
      MetaRequest next = MetaRequest.decode(ByteBuffer.wrap(manager.next(Heard.class).message()));
      asked.add(next);
      if (next.op() != MetaOp.EVENTS) {
        answer(next.id());
      }
    }
    assertEquals(wanted, asked.stream().map(MetaRequest::op).filter(op -> op != MetaOp.GETATTR).collect(Collectors.toSet()));
    assertEquals(List.of(Errno.OK, Errno.OK), List.of(lock.get(), close.get()));
  }

  @Test
  void shouldBeToldOfALockOnceWhicheverWayTheGrantAndTheAnswerCross() {
    List<Integer> told = new CopyOnWriteArrayList<>();
    client.locks().await(FILE, FileLock.whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE, 0), told::add);
    MetaRequest events = expect(MetaOp.EVENTS);
    MetaRequest lock = expect(MetaOp.LOCK);
    long ticket = MetaArguments.Lock.of(lock).ticket();
    events(events, 77, new MetaEvent(1, MetaEvent.Kind.LOCKED, ticket)); // It overtakes the answer to the question.
    say(MetaReply.failed(lock.id(), Errno.EINPROGRESS));
    events = expect(MetaOp.EVENTS);
    await(() -> !told.isEmpty(), "it is told");
    LockClient.Waiting second = client.locks().await(FILE, FileLock.whole(FileLock.FLOCK, 2, FileLock.EXCLUSIVE, 0), told::add);
    lock = expect(MetaOp.LOCK);
    say(MetaReply.failed(lock.id(), Errno.EINPROGRESS));
    second.cancel(Errno.EINTR);
    MetaRequest cancel = expect(MetaOp.LOCK_CANCEL);
    assertEquals(MetaArguments.Lock.of(lock).ticket(), MetaArguments.LockCancel.of(cancel).ticket());
    say(MetaReply.failed(cancel.id(), Errno.ENOENT)); // It is held already, and that is on its way.
    events(events, 77, new MetaEvent(2, MetaEvent.Kind.LOCKED, MetaArguments.Lock.of(lock).ticket()));
    expect(MetaOp.EVENTS);
    await(() -> told.size() == 2, "it is told");
    assertEquals(List.of(0, 0), told);
  }

  @Test
  void shouldClaimItsLocksBeforeItAsksForThoseThatWaitAndForAnythingElse() {
    List<Integer> told = new CopyOnWriteArrayList<>();
    FileLock lock = FileLock.whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE, 0);
    client.locks().lock(FILE, lock, told::add);
    answer(expect(MetaOp.LOCK).id());
    client.locks().await(FILE + 1, lock, told::add);
    MetaRequest events = expect(MetaOp.EVENTS);
    MetaRequest waits = expect(MetaOp.LOCK);
    say(MetaReply.failed(waits.id(), Errno.EINPROGRESS));
    ask(MetaOp.GETATTR);
    long asked = expect(MetaOp.GETATTR).id();
    manager.hangUp(line);
    takeIn(2);
    MetaRequest claim = expect(MetaOp.LOCK);
    assertEquals(FILE, claim.inode());
    assertEquals(List.of(0L, 1L), claim.numbers());
    assertEquals(lock, FileLock.decode(claim.value()));
    MetaRequest all = expect(MetaOp.CLAIMED);
    MetaRequest again = expect(MetaOp.LOCK);
    assertEquals(waits.numbers(), again.numbers());
    assertEquals(events.id(), expect(MetaOp.EVENTS).id());
    answer(all.id());
    assertEquals(asked, expect(MetaOp.GETATTR).id(), "no more than its credits");
    answer(asked);
    say(MetaReply.failed(claim.id(), Errno.ENOLCK));
    answer(again.id());
    await(() -> told.size() == 2 && client.locks().lostCount() == 1, "it is told");
    client.locks().lock(FILE, lock, told::add);
    MetaRequest frees = expect(MetaOp.LOCK);
    assertEquals(FileLock.NONE, FileLock.decode(frees.value()).type(), "nothing is locked while its owner believes to have more");
    answer(frees.id());
    await(() -> told.size() == 3, "it is told of the loss");
    assertEquals(List.of(Errno.OK, Errno.OK, Errno.ENOLCK), told);
  }

  @Test
  void shouldNotClaimWhatItHasAskedTheManagerBeforeToUnlock() {
    FileLock lock = FileLock.whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE, 0);
    client.locks().lock(FILE, lock, heard::add);
    answer(expect(MetaOp.LOCK).id());
    expectHeard(Errno.OK);
    client.locks().unlock(FILE, lock, heard::add);
    long unlocks = expect(MetaOp.LOCK).id();
    manager.hangUp(line);
    takeIn(2);
    answer(expect(MetaOp.CLAIMED).id());
    assertEquals(unlocks, expect(MetaOp.LOCK).id());
    answer(unlocks);
    expectHeard(Errno.OK, Errno.OK);
  }

  @Test
  void shouldUnlockWhenTheManagerIsBackThoughWhoHasAskedForItHasGone() {
    FileLock lock = FileLock.whole(FileLock.FLOCK, 1, FileLock.EXCLUSIVE, 0);
    client.locks().lock(FILE, lock, heard::add);
    answer(expect(MetaOp.LOCK).id());
    expectHeard(Errno.OK);
    manager.hangUp(line);
    Wanted wanted = manager.next(Wanted.class);
    ask(MetaOp.CLOSE);
    client.locks().unlock(FILE, lock, heard::add);
    expectHeard(Errno.OK, Errno.ETIMEDOUT, Errno.ETIMEDOUT);
    line = wanted.line();
    manager.accept(line, new ManagerHello(session, 2, CREDITS).encode());
    manager.next(Up.class);
    answer(expect(MetaOp.LOCK).id()); // It is claimed: no manager was told of the end of it.
    answer(expect(MetaOp.CLAIMED).id());
    MetaRequest unlock = expect(MetaOp.LOCK); // In its place: a close goes behind all that waits.
    assertEquals(FileLock.NONE, FileLock.decode(unlock.value()).type());
    answer(unlock.id());
    answer(expect(MetaOp.CLOSE).id());
    ask(MetaOp.GETATTR);
    answer(expect(MetaOp.GETATTR).id());
    expectHeard(Errno.OK, Errno.ETIMEDOUT, Errno.ETIMEDOUT, Errno.OK);
    manager.hangUp(line);
    takeIn(3);
    answer(expect(MetaOp.CLAIMED).id());
  }
}
