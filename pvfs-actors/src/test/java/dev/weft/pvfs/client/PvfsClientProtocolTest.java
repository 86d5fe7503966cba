package dev.weft.pvfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.pvfs.DataSums;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Player;
import dev.weft.pvfs.Player.Down;
import dev.weft.pvfs.Player.Heard;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Player.Wanted;
import dev.weft.pvfs.Player.Written;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol of a client of the I/O daemons, message by message: a probe plays its daemon, also one that answers late, twice, or something else. */
@Tag("actor")
@Timeout(180)
class PvfsClientProtocolTest {
  private static final String SERVICE = "pvfs-io";
  private static final Striping ALONE = new Striping(0, 1, 65_536, 1);
  private static final long FILE = 7;
  private static final int CREDITS = 4;
  private static final int SLOT_BYTES = 65_536;

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.client.reconnect = 10 ms"));
  private final Node host = fabric.addNode("client");
  private final HcaSnapshot before = host.hca().inspect();
  private final Player daemon = Player.on(fabric, "io");
  private final Renewals capabilities = new Renewals();
  private Hello hello;
  /** What the daemon says that it is. */
  private long identity;
  private DataClient client;
  private int line;
  private long sent;

  /** The manager's part: it answers when the test says so. */
  private static final class Renewals implements CapabilitySource {
    final List<Runnable> asked = new ArrayList<>();
    volatile byte mark;

    @Override
    public byte[] of(long object, DaemonOp op) {
      byte[] capability = new byte[CapabilityKey.ENCODED_BYTES];
      capability[0] = mark;
      return capability;
    }

    @Override
    public synchronized boolean renew(long object, Runnable then) {
      asked.add(then);
      return true;
    }

    synchronized int count() {
      return asked.size();
    }
  }

  @BeforeEach
  void listen() {
    daemon.listen(SERVICE);
  }

  private void start(Band forced) {
    start(forced, false);
  }

  private void start(Band forced, boolean isChecked) {
    client = DataClient.start(fabric, host, "test", List.of(new DaemonAddress("io", SERVICE)),
        ClientSettings.from(fabric.config()).withForced(forced).withChecks(isChecked), capabilities);
    takeIn();
  }

  private Hello takeIn() {
    Wanted wanted = daemon.next(Wanted.class);
    Hello theirs = Hello.decode(wanted.said());
    assertTrue(hello == null || hello.instance() == theirs.instance(), "daemons know it again");
    hello = theirs;
    line = wanted.line();
    daemon.accept(line, new Hello(identity, CREDITS, 4096, 2, SLOT_BYTES, daemon.memory().addr(), daemon.memory().rkey()).encode());
    assertEquals(line, daemon.next(Up.class).line());
    return theirs;
  }

  /** Whatever its daemon did: all credits are there, nothing is sent, nothing is registered; and nothing is left of it. */
  @AfterEach
  void nothingIsLeft() {
    try {
      await(() -> snapshot().tasks() == 0 && snapshot().daemons().getFirst().isUp(), "all is answered");
      ClientSnapshot state = snapshot();
      ClientSnapshot.Daemon link = state.daemons().getFirst();
      assertEquals(CREDITS, link.credits(), link::toString);
      assertEquals(0, link.sent() + link.waiting() + state.registrations(), state::toString);
      client.close();
      HcaSnapshot now = host.hca().inspect();
      assertEquals(before.queuePairs().size(), now.queuePairs().size(), "queue pairs");
      assertEquals(before.memoryRegions().size(), now.memoryRegions().size(), "registered memory");
      assertEquals(before.protectionDomains().size(), now.protectionDomains().size(), "domains");
    } finally {
      fabric.close();
    }
  }

  private void await(BooleanSupplier condition, String what) {
    Waits.await(condition, () -> what + ": " + snapshot());
  }

  private ClientSnapshot snapshot() {
    return Waits.ask(fabric, client::inspect);
  }

  private IoTask begin(DaemonOp op, MemorySegment memory) {
    return client.begin(op, FILE, ALONE, new long[] {0}, new long[] {memory.byteSize()}, new MemorySegment[] {memory}, _ -> { });
  }

  private IoTask write(int bytes) {
    return begin(DaemonOp.WRITE, Arena.ofAuto().allocate(bytes));
  }

  private DaemonRequest request() {
    Heard heard = daemon.next(Heard.class);
    assertEquals(line, heard.line());
    DaemonRequest request = new DaemonRequest();
    assertTrue(request.decode(MemorySegment.ofArray(heard.message()), 0, heard.message().length) > 0, request::problem);
    return request;
  }

  private static byte[] answer(long id, int errno, long moved, long length, String data) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonReply.BYTES + data.length());
    new DaemonReply().set(id, errno, moved, length).encode(out, 0);
    MemorySegment.copy(data.getBytes(StandardCharsets.US_ASCII), 0, out, ValueLayout.JAVA_BYTE, DaemonReply.BYTES, data.length());
    return out.toArray(ValueLayout.JAVA_BYTE);
  }

  private void answer(long id) {
    daemon.say(line, answer(id, Errno.OK, 4, 4, ""));
  }

  private void loan(long id) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonReply.LOAN_BYTES);
    new DaemonReply().encodeLoan(out, 0, id, daemon.memory().addr(), daemon.memory().rkey());
    daemon.say(line, out.toArray(ValueLayout.JAVA_BYTE));
  }

  /** It does not go on with this daemon, and connects again. */
  private void expectEnd() {
    assertEquals(line, daemon.next(Down.class).line());
    takeIn();
  }

  private void expectOk(IoTask task) {
    await(task::isDone, "it is over");
    assertEquals(Errno.OK, task.errno());
  }

  @Test
  void shouldTakeAnswersInAnyOrder() {
    start(Band.INLINE);
    IoTask first = write(4);
    long id = request().id;
    IoTask second = write(4);
    long later = request().id;
    answer(later);
    expectOk(second);
    assertFalse(first.isDone());
    answer(id);
    expectOk(first);
  }

  @Test
  void shouldAskAgainUnderTheSameNumberWhereTheAnswerIsLateByAConnection() {
    start(Band.INLINE);
    IoTask task = write(4);
    long id = request().id;
    int old = line;
    client.dropConnection(0);
    daemon.say(old, answer(id, Errno.OK, 4, 4, "")); // It may cross the end of the connection: then it is lost.
    expectEnd();
    assertFalse(task.isDone());
    assertEquals(id, request().id);
    answer(id);
    expectOk(task);
  }

  @Test
  void shouldEndTheConnectionWhereAnAnswerOfTheOneBeforeComes() {
    start(Band.INLINE);
    IoTask task = write(4);
    long id = request().id;
    answer(id);
    expectOk(task);
    client.dropConnection(0);
    expectEnd();
    answer(id);
    expectEnd();
    IoTask next = write(4);
    answer(request().id);
    expectOk(next);
  }

  @ParameterizedTest
  @ValueSource(strings = {"twice", "wrong id", "too short", "too long", "cut", "version", "unasked loan", "wrong slot", "negative"})
  void shouldEndTheConnectionAndAskAgainWhereAnAnswerIsWrong(String wrong) {
    start(Band.INLINE);
    MemorySegment memory = Arena.ofAuto().allocate(4);
    IoTask before = begin(DaemonOp.READ, Arena.ofAuto().allocate(4));
    DaemonRequest first = request();
    IoTask task = begin(DaemonOp.READ, memory);
    DaemonRequest asked = request();
    daemon.say(line, answer(first.id, Errno.OK, 4, 4, "good"));
    expectOk(before);
    switch (wrong) {
      case "twice" -> daemon.say(line, answer(first.id, Errno.OK, 4, 4, "good"));
      case "wrong id" -> daemon.say(line, answer(asked.id + 1, Errno.OK, 4, 4, "evil"));
      case "too short" -> daemon.say(line, answer(asked.id, Errno.OK, 4, 4, "bad"));
      case "too long" -> daemon.say(line, answer(asked.id, Errno.OK, 4, 4, "worse"));
      case "cut" -> daemon.say(line, new byte[] {DaemonRequest.VERSION, 0, 0});
      case "version" -> {
        byte[] other = answer(asked.id, Errno.OK, 4, 4, "evil");
        other[0]++;
        daemon.say(line, other);
      }
      case "unasked loan" -> loan(asked.id);
      case "wrong slot" -> daemon.write(line, answer(asked.id, Errno.OK, 4, 4, "evil"), hello.address(), hello.rkey(), 0);
      case "negative" -> daemon.say(line, answer(asked.id, Errno.OK, -4, 4, "evil"));
      default -> throw new AssertionError(wrong);
    }
    expectEnd();
    assertFalse(task.isDone());
    assertEquals(asked.id, request().id);
    daemon.say(line, answer(asked.id, Errno.OK, 4, 4, "true"));
    expectOk(task);
    assertEquals("true", new String(memory.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
  }

  @Test
  void shouldSendNoMoreThanItsCreditsAndTheRestWithTheAnswersAlsoOverConnections() {
    start(Band.INLINE);
    List<IoTask> tasks = new ArrayList<>();
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < CREDITS + 2; i++) {
      tasks.add(write(4));
    }
    for (int i = 0; i < CREDITS; i++) {
      ids.add(request().id);
    }
    await(() -> snapshot().daemons().getFirst().waiting() == 2, "two wait");
    daemon.expectNothing();
    answer(ids.getFirst());
    ids.add(request().id);
    daemon.hangUp(line);
    takeIn();
    for (long id : ids.subList(1, CREDITS + 1)) {
      assertEquals(id, request().id, "what was not answered comes again, in order");
    }
    daemon.expectNothing();
    for (long id : ids.subList(1, CREDITS + 1)) {
      answer(id);
    }
    answer(request().id);
    tasks.forEach(this::expectOk);
  }

  @Test
  void shouldEndARequestThatEndsItsConnectionEachTimeAndHarmNoOther() {
    start(Band.INLINE);
    IoTask deadly = write(4);
    IoTask other = write(4);
    IoTask late = null;
    long id = request().id;
    assertEquals(id + 1, request().id);
    int tries = ClientSettings.from(fabric.config()).sendTries();
    for (int losses = 1; losses < tries; losses++) {
      daemon.hangUp(line);
      takeIn();
      assertEquals(id, request().id);
      if (losses == 1) {
        assertEquals(id + 1, request().id, "they are under way together twice");
      } else if (losses == 2) {
        late = write(4);
        daemon.expectNothing();
      }
    }
    assertFalse(deadly.isDone());
    daemon.hangUp(line);
    takeIn();
    await(deadly::isDone, "it is over");
    assertEquals(Errno.EIO, deadly.errno());
    assertEquals(id + 1, request().id);
    daemon.expectNothing();
    answer(id + 1);
    answer(request().id);
    expectOk(other);
    expectOk(late);
  }

  @Test
  void shouldGiveAFastBufferBackWithTheAnswerAndWithTheConnection() {
    start(Band.FAST);
    List<IoTask> tasks = List.of(write(5000), write(5000), write(5000));
    int first = daemon.next(Written.class).immediate();
    int second = daemon.next(Written.class).immediate();
    assertEquals(1, first + second, "the third waits for a buffer");
    daemon.hangUp(line);
    takeIn();
    daemon.next(Written.class);
    daemon.next(Written.class);
    daemon.expectNothing();
    answer(1);
    assertTrue(daemon.next(Written.class).length() >= 5000);
    answer(2);
    answer(3);
    tasks.forEach(this::expectOk);
  }

  @Test
  void shouldMoveItsDataIntoOneLoanAndEndTheConnectionOfWhoLendsTwice() {
    start(Band.CLIENT);
    MemorySegment data = Arena.ofAuto().allocate(5000).fill((byte) 'x');
    IoTask task = begin(DaemonOp.WRITE, data);
    long id = request().id;
    loan(id);
    Heard done = daemon.next(Heard.class);
    assertTrue(DaemonRequest.isDone(MemorySegment.ofArray(done.message()), 0, done.message().length));
    assertEquals('x', daemon.memory().segment().get(ValueLayout.JAVA_BYTE, 4999));
    loan(id);
    expectEnd();
    assertEquals(id, request().id);
    answer(id);
    expectOk(task);
  }

  @ParameterizedTest
  @ValueSource(ints = {Errno.EACCES, Errno.ESTALE})
  void shouldShowAnotherCapabilityOnceUnderANewNumberWhenTheManagerAnswersLate(int refusal) {
    start(Band.INLINE);
    IoTask task = write(4);
    DaemonRequest refused = request();
    daemon.say(line, answer(refused.id, refusal, 0, 0, ""));
    await(() -> capabilities.count() == 1, "it asks the manager");
    client.dropConnection(0);
    expectEnd();
    daemon.expectNothing();
    capabilities.mark = 9;
    capabilities.asked.getFirst().run();
    DaemonRequest again = request();
    assertTrue(again.id > refused.id, "for the daemon it is another request");
    assertEquals(9, again.capability[0]);
    daemon.say(line, answer(again.id, refusal, 0, 0, ""));
    await(task::isDone, "it does not try for ever");
    assertEquals(refusal, task.errno());
    assertEquals(1, capabilities.count());
    capabilities.asked.getFirst().run();
    capabilities.asked.getFirst().run(); // The manager answers twice: there is nobody for it.
    IoTask next = write(4);
    answer(request().id);
    expectOk(next);
  }

  // What may be done only as long as something holds.

  /** A write that was sent, and waits with a new connection for what its fence says. */
  private CompletableFuture<IoTask> fenced(AtomicReference<Fence.State> state) {
    CompletableFuture<IoTask> task = new CompletableFuture<>();
    Thread.ofPlatform().daemon().start(() -> task.complete(client.write(FILE, ALONE, 0, Arena.ofAuto().allocate(4), state::get)));
    sent = request().id;
    state.set(Fence.State.UNSURE);
    client.dropConnection(0);
    expectEnd();
    daemon.expectNothing();
    assertFalse(task.isDone());
    return task;
  }

  @Test
  void shouldRepeatOnlyWhatMayBeDoneStill() {
    start(Band.INLINE);
    AtomicReference<Fence.State> state = new AtomicReference<>(Fence.State.OPEN);
    CompletableFuture<IoTask> task = fenced(state);
    IoTask later = write(4);
    daemon.expectNothing(); // What is sent again comes first.
    state.set(Fence.State.OPEN);
    assertEquals(sent, request().id);
    answer(sent);
    answer(request().id);
    expectOk(later);
    assertEquals(Errno.OK, task.join().errno());
  }

  @Test
  void shouldNotRepeatWhatMustNotBeDoneAnyMore() {
    start(Band.INLINE);
    AtomicReference<Fence.State> state = new AtomicReference<>(Fence.State.OPEN);
    CompletableFuture<IoTask> task = fenced(state);
    state.set(Fence.State.SHUT);
    assertEquals(Errno.EIO, task.join().errno());
    IoTask later = write(4);
    answer(request().id);
    expectOk(later);
    daemon.expectNothing();
  }

  // What a daemon loses.

  private void writeAndAnswer() {
    IoTask task = write(4);
    answer(request().id);
    expectOk(task);
  }

  private IoTask beginSync() {
    return client.begin(DaemonOp.SYNC, FILE, ALONE, new long[0], new long[0], new MemorySegment[0], _ -> { });
  }

  private boolean syncTells(LossWatch watch) {
    IoTask task = beginSync();
    answer(request().id);
    expectOk(task);
    return watch.tells();
  }

  private void startAnew(long as) {
    identity = as;
    daemon.hangUp(line);
    takeIn();
  }

  @Test
  void shouldTellTheNextSyncOfEachWhoWritesOnceThatAnotherDaemonMayHaveLostWhatWasAnswered() {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    LossWatch one = client.watch(FILE);
    LossWatch another = client.watch(FILE);
    LossWatch ofAnotherFile = client.watch(FILE + 1);
    writeAndAnswer();
    startAnew(Hello.onDisk(200));
    assertTrue(syncTells(one));
    assertFalse(syncTells(one), "once");
    assertTrue(syncTells(another), "each");
    assertFalse(syncTells(ofAnotherFile));
    assertFalse(syncTells(client.watch(FILE)), "somebody was told before it was opened");
    assertFalse(syncTells(LossWatch.NONE));
  }

  @Test
  void shouldTellWhoOpensAFileNextWhereNobodyWasTold() {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    writeAndAnswer();
    startAnew(Hello.onDisk(200));
    LossWatch later = client.watch(FILE);
    assertTrue(syncTells(later));
    assertFalse(syncTells(client.watch(FILE)));
  }

  @Test
  void shouldTellNothingWhereTheDaemonIsTheSameOrAllWasSynced() {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    writeAndAnswer();
    startAnew(Hello.onDisk(100));
    assertFalse(syncTells(watch), "the process alone has died");
    startAnew(Hello.onDisk(200));
    assertFalse(syncTells(watch), "it was synced");
    writeAndAnswer();
    assertFalse(syncTells(watch));
  }

  @Test
  void shouldTellThatAChangeMayBeLostWhichWasAnsweredBesideASync() {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    IoTask write = write(4);
    long writeId = request().id;
    IoTask sync = beginSync();
    long syncId = request().id;
    answer(writeId);
    expectOk(write);
    answer(syncId);
    expectOk(sync);
    assertFalse(watch.tells());
    startAnew(Hello.onDisk(200));
    assertTrue(syncTells(watch), "the sync may have been done before the write");
  }

  @Test
  void shouldTellNothingOfAWriteThatIsSentAgainToTheOtherDaemon() {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    IoTask write = write(4);
    long id = request().id;
    startAnew(Hello.onDisk(200));
    assertEquals(id, request().id);
    answer(id);
    expectOk(write);
    assertFalse(syncTells(watch));
  }

  @ParameterizedTest
  @ValueSource(strings = {"TRUNCATE", "EXTEND", "PUNCH"})
  void shouldTellThatOtherChangesThanWritesMayBeLost(DaemonOp op) {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    IoTask task = client.begin(op, FILE, ALONE, new long[] {4}, new long[] {op == DaemonOp.PUNCH ? 4 : 0}, new MemorySegment[0], _ -> { });
    answer(request().id);
    expectOk(task);
    startAnew(Hello.onDisk(200));
    assertTrue(syncTells(watch));
  }

  @Test
  void shouldTellThatWhatTheManagerCutMayBeLost() {
    identity = Hello.onDisk(100);
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    client.cutByManager(FILE, ALONE);
    assertFalse(syncTells(watch));
    startAnew(Hello.onDisk(200));
    assertFalse(syncTells(watch), "it was synced");
    client.cutByManager(FILE, ALONE);
    startAnew(Hello.onDisk(300));
    assertTrue(syncTells(watch));
  }

  @Test
  void shouldTellAlsoOfWhatWasSyncedWhereTheDaemonKeepsItInMemory() {
    identity = Hello.inMemory(100);
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    writeAndAnswer();
    assertFalse(syncTells(watch));
    startAnew(Hello.inMemory(200));
    assertTrue(syncTells(watch));
    assertFalse(syncTells(watch));
  }

  @Test
  void shouldTellNothingWhereDaemonsDoNotSayWhoTheyAre() {
    start(Band.INLINE);
    LossWatch watch = client.watch(FILE);
    writeAndAnswer();
    startAnew(0);
    assertFalse(syncTells(watch));
  }

  private static byte[] checkedAnswer(long id, String data, int sum) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonReply.BYTES + data.length());
    new DaemonReply().set(id, Errno.OK, data.length(), data.length()).checked(sum).encode(out, 0);
    MemorySegment.copy(data.getBytes(StandardCharsets.US_ASCII), 0, out, ValueLayout.JAVA_BYTE, DaemonReply.BYTES, data.length());
    return out.toArray(ValueLayout.JAVA_BYTE);
  }

  private static int sum(String data) {
    return DataSums.of(FILE, data.getBytes(StandardCharsets.US_ASCII), 0, data.length());
  }

  @Test
  void shouldAskForOtherDataUnderANewNumberWhereItDoesNotFitItsChecksum() {
    start(Band.INLINE, true);
    MemorySegment memory = Arena.ofAuto().allocate(4);
    IoTask task = begin(DaemonOp.READ, memory);
    DaemonRequest asked = request();
    assertTrue(asked.isChecked);
    daemon.say(line, checkedAnswer(asked.id, "evil", sum("good")));
    DaemonRequest again = request();
    assertTrue(again.id > asked.id, "for the daemon it is another request");
    assertFalse(task.isDone());
    daemon.say(line, checkedAnswer(again.id, "good", sum("good")));
    expectOk(task);
    assertEquals("good", new String(memory.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII));
    assertEquals(1, snapshot().badReads());
  }

  @Test
  void shouldEndTheConnectionWhereAnAnswerHasNoChecksumThatWasAskedFor() {
    start(Band.INLINE, true);
    IoTask task = begin(DaemonOp.READ, Arena.ofAuto().allocate(4));
    DaemonRequest asked = request();
    daemon.say(line, answer(asked.id, Errno.OK, 4, 4, "good"));
    expectEnd();
    assertEquals(asked.id, request().id);
    daemon.say(line, checkedAnswer(asked.id, "good", sum("good")));
    expectOk(task);
  }

  @Test
  void shouldSendWhatWasRefusedAgainUnderNewNumbersAndThenGiveUp() {
    start(Band.INLINE, true);
    MemorySegment data = Arena.ofAuto().allocate(4).copyFrom(MemorySegment.ofArray("data".getBytes(StandardCharsets.US_ASCII)));
    IoTask task = begin(DaemonOp.WRITE, data);
    long last = 0;
    for (int i = 0; i < fabric.config().getInt("weft.pvfs.client.checksum-tries"); i++) {
      DaemonRequest asked = request();
      assertTrue(asked.isChecked);
      assertEquals(sum("data"), asked.sum);
      assertTrue(asked.id > last, "for the daemon it is another request");
      last = asked.id;
      assertFalse(task.isDone());
      daemon.say(line, answer(asked.id, Errno.EBADMSG, 0, 0, ""));
    }
    await(task::isDone, "it does not try for ever");
    assertEquals(Errno.EIO, task.errno());
    daemon.expectNothing();
    assertEquals(4, snapshot().badWrites());
  }

  @Test
  void shouldMoveItsDataIntoTheNextLoanWhereWhatItMovedWasNotWhatCame() {
    start(Band.CLIENT, true);
    MemorySegment data = Arena.ofAuto().allocate(5000).fill((byte) 'x');
    IoTask task = begin(DaemonOp.WRITE, data);
    for (int errno : new int[] {Errno.EBADMSG, Errno.OK}) {
      DaemonRequest asked = request();
      daemon.memory().segment().fill((byte) 0);
      loan(asked.id);
      Heard done = daemon.next(Heard.class);
      assertTrue(DaemonRequest.isDone(MemorySegment.ofArray(done.message()), 0, done.message().length));
      assertEquals('x', daemon.memory().segment().get(ValueLayout.JAVA_BYTE, 4999));
      daemon.say(line, answer(asked.id, errno, 5000, 5000, ""));
    }
    expectOk(task);
  }
}
