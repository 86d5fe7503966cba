package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Player;
import dev.weft.pvfs.Player.Down;
import dev.weft.pvfs.Player.Heard;
import dev.weft.pvfs.Player.Refused;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Player.Wanted;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.client.DaemonAddress;
import dev.weft.pvfs.store.MemoryDisk;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.FileLock;
import dev.weft.pvfs.wire.Hello;
import dev.weft.pvfs.wire.ManagerHello;
import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import dev.weft.pvfs.wire.NoEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The protocol of the manager, message by message: probes play its clients and its I/O daemon, also such as repeat, cross and come late. */
@Tag("actor")
@Timeout(180)
class ManagerProtocolTest {
  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final String SERVICE = "pvfs-manager";
  private static final int CREDITS = 4;
  private static final long ROOT = 1;
  private static final FileSystemLabel LABEL = FileSystemLabel.random(1);

  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString(
      "weft.hca.pin-memory = false\nweft.pvfs.manager { credits = " + CREDITS + ", lease = 10 m }"));
  private Node host = fabric.addNode("manager");
  private final Player daemon = Player.on(fabric, "io");
  private final Player player = Player.on(fabric, "client");
  private final Map<Integer, Long> sessions = new HashMap<>();
  private final MemoryDisk disk = new MemoryDisk("metadata");
  private Manager manager;
  private HcaSnapshot idle;
  private int toDaemon;
  private long nextId = 1;

  @BeforeEach
  void start() {
    daemon.listen("pvfs-io");
    startManager();
    idle = host.hca().inspect();
  }

  private void startManager() {
    manager = Manager.on(disk, fabric, host, SERVICE, fabric.config(), List.of(new DaemonAddress("io", "pvfs-io")), LABEL, () -> 1_000_000_000_000L);
    toDaemon = daemon.next(Wanted.class).line();
    daemon.accept(toDaemon, new Hello(0, 32, 4096, 0, 0, 0, 0).encode());
    daemon.next(Up.class);
    snapshot(); // It listens then.
  }

  private void restart(int lines) {
    manager.stop();
    fabric.await(manager.stopped().toCompletableFuture(), PATIENCE);
    fabric.closeNode("manager");
    host = fabric.addNode("manager");
    for (int i = 0; i < lines; i++) {
      sessions.remove(player.next(Down.class).line());
    }
    assertEquals(toDaemon, daemon.next(Down.class).line());
    startManager();
  }

  /** Whatever clients did: when they have said good-bye, there is no session, no lock, no lease, nothing open and nothing that waits. */
  @AfterEach
  void nothingIsLeft() {
    try {
      sessions.keySet().forEach(line -> say(line, MetaRequest.of(MetaOp.BYE, Caller.ROOT, 0)));
      sessions.keySet().forEach(_ -> player.next(Heard.class));
      fabric.closeNode("client");
      await(() -> snapshot().sessions() == 0, "sessions end");
      ManagerSnapshot state = snapshot();
      assertEquals(0, state.open() + state.locks() + state.lockWaiters() + state.remembered() + state.waitingAnswers() + state.effects(), state::toString);
      HcaSnapshot now = host.hca().inspect();
      assertEquals(idle.queuePairs().size(), now.queuePairs().size(), "queue pairs");
      assertEquals(idle.memoryRegions().size(), now.memoryRegions().size(), "registered memory");
    } finally {
      fabric.close();
    }
  }

  private void await(BooleanSupplier condition, String what) {
    Waits.await(condition, () -> what + ": " + snapshot());
  }

  private ManagerSnapshot snapshot() {
    return Waits.ask(fabric, manager::inspect);
  }

  private int connect(long session) {
    int line = player.connect("manager", SERVICE, new ManagerHello(session, 0, CREDITS).encode());
    assertEquals(session, ManagerHello.decode(player.next(Up.class).said()).session());
    sessions.put(line, session);
    return line;
  }

  private int again(int line) {
    player.hangUp(line);
    return connect(sessions.remove(line));
  }

  private long say(int line, MetaRequest request) {
    return say(line, request, nextId++);
  }

  private long say(int line, MetaRequest request, long id) {
    ByteBuffer out = ByteBuffer.allocate(MetaRequest.BYTES_MAX);
    request.numbered(id).encode(out);
    player.say(line, Arrays.copyOf(out.array(), out.position()));
    return id;
  }

  private MetaReply answer(int line, long id) {
    Heard heard = player.next(Heard.class);
    MetaReply reply = MetaReply.decode(ByteBuffer.wrap(heard.message()));
    assertEquals(line + ": " + id, heard.line() + ": " + reply.id());
    return reply;
  }

  private int errno(int line, long id) {
    return answer(line, id).errno();
  }

  private MetaReply ask(int line, MetaRequest request) {
    return answer(line, say(line, request));
  }

  private static MetaRequest request(MetaOp op, long inode, String name, long... numbers) {
    return MetaRequest.of(op, Caller.ROOT, inode, numbers).named(name);
  }

  private static MetaRequest rename(String name, String to) {
    return request(MetaOp.RENAME, ROOT, name, 0).withOther(ROOT).withValue(to.getBytes());
  }

  /** A file that a session has open; its inode. */
  private long create(int line, String name) {
    MetaReply made = ask(line, request(MetaOp.CREATE, ROOT, name, 0644, 1, -1, 0, 0, 3));
    assertEquals(Errno.OK, made.errno());
    return made.attributes().inode();
  }

  private static MetaRequest cut(long inode, long bytes) {
    return MetaRequest.of(MetaOp.SETATTR, Caller.ROOT, inode, MetaRequest.SET_BYTES, 0, 0, 0, bytes);
  }

  private static MetaRequest lock(long inode, long owner, long ticket) {
    return MetaRequest.of(MetaOp.LOCK, Caller.ROOT, inode, ticket).withValue(FileLock.whole(FileLock.FLOCK, owner, FileLock.EXCLUSIVE, 0).encode());
  }

  private static MetaRequest events(MetaReply last, long done) {
    return MetaRequest.of(MetaOp.EVENTS, Caller.ROOT, 0, last == null ? 0 : last.number(), done);
  }

  private static List<MetaEvent> told(MetaReply reply) {
    return MetaEvent.decode(reply.value()).events();
  }

  // The daemon's part.

  private DaemonRequest effect(DaemonOp op) {
    Heard heard = daemon.next(Heard.class);
    DaemonRequest request = new DaemonRequest();
    assertTrue(request.decode(MemorySegment.ofArray(heard.message()), 0, heard.message().length) > 0, request::problem);
    assertEquals(op, request.op);
    return request;
  }

  private void done(DaemonRequest request) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonReply.BYTES);
    new DaemonReply().set(request.id, Errno.OK, 0, 0).encode(out, 0);
    daemon.say(toDaemon, out.toArray(ValueLayout.JAVA_BYTE));
  }

  @Test
  void shouldAnswerARepeatedRequestAsBeforeAndDoItOnce() {
    int line = connect(11);
    long made = say(line, request(MetaOp.MKDIR, ROOT, "d", 0755));
    assertEquals(Errno.OK, errno(line, made));
    line = again(line);
    say(line, request(MetaOp.MKDIR, ROOT, "d", 0755), made);
    assertEquals(Errno.OK, errno(line, made), "not EEXIST");
    assertEquals(Errno.EEXIST, ask(line, request(MetaOp.MKDIR, ROOT, "d", 0755)).errno());
    say(line, request(MetaOp.RMDIR, ROOT, "d"), 900);
    line = again(line); // The answer is on its way, or not: it is lost.
    say(line, request(MetaOp.RMDIR, ROOT, "d"), 900);
    Heard last = player.next(Heard.class);
    while (last.line() != line) {
      last = player.next(Heard.class);
    }
    assertEquals(Errno.OK, MetaReply.decode(ByteBuffer.wrap(last.message())).errno());
    int other = connect(12);
    say(other, request(MetaOp.MKDIR, ROOT, "d", 0755), made);
    assertEquals(Errno.OK, errno(other, made), "the same number of another client is another request");
    assertEquals(Errno.OK, ask(other, request(MetaOp.RMDIR, ROOT, "d")).errno());
  }

  @Test
  void shouldAnswerACloseOfWhatWasNotWrittenWithoutACommit() {
    int line = connect(11);
    long file = create(line, "file");
    disk.failAfter(0);
    assertEquals(Errno.OK, ask(line, request(MetaOp.CLOSE, file, "", MetaRequest.NOT_WRITTEN, 1)).errno());
    assertEquals(Errno.EIO, ask(line, request(MetaOp.MKDIR, ROOT, "d", 0755)).errno(), "the first commit since");
    assertEquals(Errno.EBADF, ask(line, request(MetaOp.CLOSE, file, "", MetaRequest.NOT_WRITTEN, 1)).errno(), "it was closed for good");
  }

  @Test
  void shouldWriteWhatNobodyWaitsForWhenItIsMuch() {
    int line = connect(11);
    long[] files = new long[Transaction.LOOSE_MAX];
    for (int i = 0; i < files.length; i++) {
      files[i] = create(line, "file" + i);
    }
    long commits = snapshot().commits();
    for (long file : files) {
      assertEquals(Errno.OK, ask(line, request(MetaOp.CLOSE, file, "", MetaRequest.NOT_WRITTEN, 1)).errno());
    }
    await(() -> snapshot().commits() == commits + 1, "all that is left is written once");
  }

  @Test
  void shouldEndTheConnectionOfWhoAsksOneThingTwiceOrTooMuchButKeepItsSession() {
    int line = connect(11);
    MetaReply first = ask(line, events(null, 0));
    long waits = say(line, events(first, 0));
    say(line, events(first, 0), waits);
    assertEquals(line, player.next(Down.class).line());
    sessions.clear();
    line = connect(11);
    assertEquals(1, snapshot().sessions());
    long file = create(line, "f");
    DaemonRequest[] cuts = new DaemonRequest[1];
    for (int i = 0; i <= CREDITS; i++) {
      say(line, cut(file, i));
    }
    cuts[0] = effect(DaemonOp.TRUNCATE);
    assertEquals(line, player.next(Down.class).line());
    sessions.clear();
    line = connect(11);
    for (int i = 0; i < CREDITS; i++) {
      done(i == 0 ? cuts[0] : effect(DaemonOp.TRUNCATE));
    }
    assertEquals(Errno.OK, ask(line, MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file, -1, 1, 0)).errno(), "it has it open still");
    assertEquals(2, snapshot().refused());
  }

  @Test
  void shouldTakeNoGarbage() {
    int refused = player.connect("manager", SERVICE, new byte[] {1, 2, 3});
    assertEquals(refused, player.next(Refused.class).line());
    for (byte[] garbage : new byte[][] {{1}, new byte[200], {DaemonRequest.VERSION, 99, 0, 0, 0, 0, 0, 0, 0, 0}}) {
      int line = connect(11);
      sessions.clear();
      player.say(line, garbage);
      assertEquals(line, player.next(Down.class).line());
    }
    connect(11);
  }

  @Test
  void shouldAnswerACutWhenTheDaemonHasDoneItOnceOnTheConnectionThatAsksThen() {
    int line = connect(11);
    long file = create(line, "f");
    long first = say(line, cut(file, 100));
    long second = say(line, cut(file, 50));
    DaemonRequest one = effect(DaemonOp.TRUNCATE);
    assertEquals(100, one.file.offset(0));
    assertEquals(Errno.OK, ask(line, MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file)).errno(), "others are answered meanwhile");
    line = again(line);
    say(line, cut(file, 100), first);
    say(line, cut(file, 50), second);
    assertEquals(Errno.OK, ask(line, MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file)).errno());
    daemon.expectNothing(); // The second begins when the first is done.
    done(one);
    assertEquals(Errno.OK, errno(line, first));
    DaemonRequest two = effect(DaemonOp.TRUNCATE);
    assertEquals(50, two.file.offset(0));
    assertNotEquals(one.id, two.id);
    done(two);
    assertEquals(50, answer(line, second).attributes().bytes());
  }

  @Test
  void shouldAnswerACutOfTheManagerBeforeWhenTheDaemonHasDoneItAndNotCutAgain() {
    int line = connect(11);
    long file = create(line, "f");
    long cuts = say(line, cut(file, 100).inSlot(0));
    effect(DaemonOp.TRUNCATE); // It does not answer, and hears of it again.
    restart(1);
    DaemonRequest again = effect(DaemonOp.TRUNCATE);
    assertEquals(100, again.file.offset(0));
    line = connect(11);
    say(line, cut(file, 100).inSlot(0), cuts);
    assertEquals(Errno.OK, ask(line, MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file)).errno());
    line = again(line);
    say(line, cut(file, 100).inSlot(0), cuts);
    daemon.expectNothing();
    assertEquals(1, snapshot().answersRepeated(), "it is under way");
    done(again);
    assertEquals(100, answer(line, cuts).attributes().bytes());
    assertEquals(50, answerCut(line, file, 50));
    restart(1);
    line = connect(11);
    say(line, cut(file, 100).inSlot(0), cuts);
    DaemonRequest anew = effect(DaemonOp.TRUNCATE); // Its slot has been used since: that was answered, as far as this manager knows.
    done(anew);
    assertEquals(100, answer(line, cuts).attributes().bytes());
  }

  private long answerCut(int line, long file, long bytes) {
    long id = say(line, cut(file, bytes).inSlot(0));
    done(effect(DaemonOp.TRUNCATE));
    return answer(line, id).attributes().bytes();
  }

  @Test
  void shouldRemoveBehindTheCutOfWhoHasGoneMeanwhile() {
    int line = connect(11);
    long file = create(line, "f");
    say(line, cut(file, 100));
    DaemonRequest cut = effect(DaemonOp.TRUNCATE);
    assertEquals(Errno.OK, ask(line, request(MetaOp.UNLINK, ROOT, "f")).errno());
    assertEquals(Errno.OK, ask(line, MetaRequest.of(MetaOp.BYE, Caller.ROOT, 0)).errno());
    player.hangUp(line);
    sessions.clear();
    await(() -> snapshot().sessions() == 0, "it ends");
    done(cut);
    DaemonRequest remove = effect(DaemonOp.REMOVE);
    assertEquals(file, remove.object);
    done(remove);
    await(() -> snapshot().effects() == 0, "it is done");
  }

  /** Records have sessions in their keys, which are above 0. */
  @Test
  void shouldRefuseASessionThatNoRecordCouldName() {
    for (long session : new long[] {0, -1, Long.MIN_VALUE}) {
      int line = player.connect("manager", SERVICE, new ManagerHello(session, 0, CREDITS).encode());
      Refused denial = player.next(Refused.class);
      assertEquals(line, denial.line());
      assertEquals(NoEntry.why(NoEntry.NO_HELLO.encode()), NoEntry.why(denial.said()));
    }
    assertEquals(3, snapshot().refused());
  }

  @Test
  void shouldLetNobodyTakeASessionOverButItsOwnNode() {
    int line = connect(11);
    long file = create(line, "f");
    Player thief = Player.on(fabric, "thief");
    int refused = thief.connect("manager", SERVICE, new ManagerHello(11, 0, CREDITS).encode());
    Refused denial = thief.next(Refused.class);
    assertEquals(refused, denial.line());
    assertEquals(NoEntry.why(NoEntry.SESSION_TAKEN.encode()), NoEntry.why(denial.said()));
    long before = say(line, MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file));
    assertEquals(Errno.OK, errno(line, before));
    sessions.clear();
    int next = player.connect("manager", SERVICE, new ManagerHello(11, 0, CREDITS).encode());
    assertEquals(line, player.next(Down.class).line(), "the connection before ends");
    assertEquals(next, player.next(Up.class).line());
    sessions.put(next, 11L);
    assertEquals(Errno.OK, ask(next, MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file, -1, 1, 0)).errno(), "it has open what it had");
    assertEquals(Errno.EBADF, ask(next, MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file, -1, 1, 0)).errno());
  }

  @Test
  void shouldLetOneOfARenameAndAnUnlinkWinThatCross() {
    int one = connect(11);
    int other = connect(12);
    long file = create(one, "a");
    assertEquals(Errno.OK, ask(one, MetaRequest.of(MetaOp.CLOSE, Caller.ROOT, file, 0, 1, 0)).errno());
    long renames = say(one, rename("a", "b"));
    long unlinks = say(other, request(MetaOp.UNLINK, ROOT, "a"));
    Map<Integer, MetaReply> replies = new HashMap<>();
    for (int i = 0; i < 2; i++) {
      Heard heard = player.next(Heard.class);
      replies.put(heard.line(), MetaReply.decode(ByteBuffer.wrap(heard.message())));
    }
    assertEquals(renames, replies.get(one).id());
    assertEquals(unlinks, replies.get(other).id());
    boolean isRenamed = replies.get(one).errno() == Errno.OK;
    assertEquals(isRenamed ? Errno.ENOENT : Errno.OK, replies.get(other).errno());
    assertEquals(isRenamed ? Errno.OK : Errno.ENOENT, ask(other, request(MetaOp.LOOKUP, ROOT, "b")).errno());
    assertEquals(Errno.ENOENT, ask(one, request(MetaOp.LOOKUP, ROOT, "a")).errno());
    if (!isRenamed) {
      done(effect(DaemonOp.REMOVE));
      await(() -> snapshot().effects() == 0, "it is removed");
    }
  }

  @Test
  void shouldAnswerWhoChangesSomethingWhenTheOtherHasForgottenItAndNotWhenThatRenewsItsLease() {
    int keeper = connect(11);
    int changer = connect(12);
    MetaReply stream = ask(keeper, events(null, 0));
    assertTrue((ask(keeper, request(MetaOp.LOOKUP, ROOT, "d")).number() & MetaReply.PARENT_LEASED) != 0);
    long made = say(changer, request(MetaOp.MKDIR, ROOT, "d", 0755));
    assertEquals(Errno.OK, ask(changer, request(MetaOp.LOOKUP, ROOT, "d")).errno(), "it is answered before the change is");
    MetaReply news = ask(keeper, events(stream, 0));
    assertEquals(List.of(new MetaEvent(1, MetaEvent.Kind.CHANGED, ROOT)), told(news));
    MetaReply same = ask(keeper, events(stream, 0));
    assertEquals(told(news), told(same), "it renews, and has not done it");
    assertEquals(0, ask(keeper, request(MetaOp.LOOKUP, ROOT, "d")).number() & MetaReply.PARENT_LEASED, "meanwhile it may remember nothing of it");
    assertEquals(1, snapshot().waitingAnswers());
    changer = again(changer);
    say(changer, request(MetaOp.MKDIR, ROOT, "d", 0755), made);
    assertEquals(Errno.OK, ask(changer, MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, ROOT)).errno());
    say(keeper, events(stream, 1));
    assertEquals(Errno.OK, errno(changer, made));
  }

  /** Else who makes and removes files would have to forget all that it remembers, each time that it has made as many as it may remember. */
  @Test
  void shouldNotCountWhatItsClientHasRemovedAmongWhatThatRemembers() {
    int line = connect(11);
    ask(line, events(null, 0));
    ask(line, request(MetaOp.MKDIR, ROOT, "d", 0755));
    int before = snapshot().remembered();
    long file = create(line, "file");
    long open = create(line, "open");
    assertEquals(before + 2, snapshot().remembered());
    ask(line, request(MetaOp.CLOSE, file, "", MetaRequest.NOT_WRITTEN, 1));
    assertEquals(Errno.OK, ask(line, request(MetaOp.UNLINK, ROOT, "file")).errno());
    assertEquals(before + 1, snapshot().remembered());
    assertEquals(Errno.OK, ask(line, request(MetaOp.UNLINK, ROOT, "open")).errno());
    assertEquals(before + 1, snapshot().remembered(), "it is open");
    ask(line, request(MetaOp.CLOSE, open, "", MetaRequest.NOT_WRITTEN, 1));
    assertEquals(before, snapshot().remembered());
    assertEquals(Errno.OK, ask(line, request(MetaOp.RMDIR, ROOT, "d")).errno());
    assertEquals(before - 1, snapshot().remembered());
    done(effect(DaemonOp.REMOVE));
    done(effect(DaemonOp.REMOVE));
    await(() -> snapshot().effects() == 0, "both are removed");
  }

  @Test
  void shouldNotWaitForWhoHasGoneBeforeItHasForgotten() {
    int keeper = connect(11);
    int changer = connect(12);
    ask(keeper, events(null, 0));
    ask(keeper, request(MetaOp.LOOKUP, ROOT, "d"));
    long made = say(changer, request(MetaOp.MKDIR, ROOT, "d", 0755));
    await(() -> snapshot().waitingAnswers() == 1, "it waits");
    assertEquals(Errno.OK, ask(keeper, MetaRequest.of(MetaOp.BYE, Caller.ROOT, 0)).errno());
    player.hangUp(keeper);
    sessions.remove(keeper);
    assertEquals(Errno.OK, errno(changer, made));
  }

  @Test
  void shouldKeepTheLocksOfWhoComesBackAndGrantThemWhenItHasGone() {
    int holder = connect(11);
    int waiter = connect(12);
    long file = create(holder, "f");
    MetaReply stream = ask(waiter, events(null, 0));
    long locked = say(holder, lock(file, 1, 0));
    assertEquals(Errno.OK, errno(holder, locked));
    long waits = say(waiter, lock(file, 1, 5));
    assertEquals(Errno.EINPROGRESS, errno(waiter, waits));
    waiter = again(waiter);
    say(waiter, lock(file, 1, 5), waits);
    assertEquals(Errno.EINPROGRESS, errno(waiter, waits));
    assertEquals(1, snapshot().lockWaiters(), "it waits once");
    long news = say(waiter, events(stream, 0));
    holder = again(holder);
    assertEquals(Errno.OK, ask(holder, lock(file, 1, 0)).errno(), "it has it still");
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.BYE, Caller.ROOT, 0)).errno());
    player.hangUp(holder);
    sessions.remove(holder);
    assertEquals(List.of(new MetaEvent(1, MetaEvent.Kind.LOCKED, 5)), told(answer(waiter, news)));
    assertEquals(Errno.ENOENT, ask(waiter, MetaRequest.of(MetaOp.LOCK_CANCEL, Caller.ROOT, 0, 5)).errno(), "it came too late");
    assertEquals(1, snapshot().locks());
  }

  private static MetaRequest claim(long inode, long owner) {
    return MetaRequest.of(MetaOp.LOCK, Caller.ROOT, inode, 0, 1).withValue(FileLock.whole(FileLock.FLOCK, owner, FileLock.EXCLUSIVE, 0).encode());
  }

  @Test
  void shouldAnswerNewLocksAndChangesWhenThoseHaveClaimedThatHeldSomethingBefore() {
    int holder = connect(11);
    int keeper = connect(12);
    long file = create(holder, "f");
    assertEquals(Errno.OK, ask(holder, lock(file, 1, 0)).errno());
    ask(keeper, events(null, 0));
    ask(keeper, request(MetaOp.LOOKUP, ROOT, "d"));
    restart(2);
    int other = connect(13);
    long tries = say(other, lock(file, 1, 0));
    long changes = say(other, request(MetaOp.MKDIR, ROOT, "d", 0755));
    assertEquals(Errno.EINPROGRESS, ask(other, lock(file, 2, 5)).errno(), "it waits, though nobody has it");
    assertEquals(Errno.ENOLCK, ask(other, claim(file, 1)).errno(), "it held nothing before");
    holder = connect(11);
    keeper = connect(12);
    assertEquals(Errno.OK, ask(holder, claim(file, 1)).errno());
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0)).errno());
    assertEquals(Errno.OK, ask(other, MetaRequest.of(MetaOp.GETATTR, Caller.ROOT, file)).errno(), "what asks for nothing new is answered");
    assertTrue(snapshot().awaitsClaims());
    say(keeper, MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0), 900);
    Map<Long, Integer> errnos = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      MetaReply reply = MetaReply.decode(ByteBuffer.wrap(player.next(Heard.class).message()));
      errnos.put(reply.id(), reply.errno());
    }
    assertEquals(Map.of(900L, Errno.OK, tries, Errno.EAGAIN, changes, Errno.OK), errnos);
    assertEquals(Errno.ENOLCK, ask(keeper, claim(file, 9)).errno(), "it has said that this was all");
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.LOCK, Caller.ROOT, file, 0)
        .withValue(FileLock.whole(FileLock.FLOCK, 1, FileLock.NONE, 0).encode())).errno());
    assertEquals(List.of(new MetaEvent(1, MetaEvent.Kind.LOCKED, 5)), told(ask(other, events(null, 0))));
    assertEquals(1, snapshot().locksClaimed());
    assertEquals(2, snapshot().claimsRefused());
  }

  /** They may remember that there is no such name. */
  @Test
  void shouldAnswerAChangeOfTheManagerBeforeWhenThoseHaveComeBackThatMayRememberSomething() {
    int keeper = connect(11);
    int changer = connect(12);
    ask(keeper, events(null, 0));
    ask(keeper, request(MetaOp.LOOKUP, ROOT, "d"));
    long made = say(changer, request(MetaOp.MKDIR, ROOT, "d", 0755).inSlot(3));
    await(() -> snapshot().waitingAnswers() == 1, "it is done, and waits for who remembers");
    restart(2);
    changer = connect(12);
    say(changer, request(MetaOp.MKDIR, ROOT, "d", 0755).inSlot(3), made);
    await(() -> snapshot().answersRepeated() == 1, "it is known");
    assertEquals(1, snapshot().waitingAnswers());
    keeper = connect(11);
    say(keeper, MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0), 900);
    Map<Long, Integer> errnos = new HashMap<>();
    for (int i = 0; i < 2; i++) {
      MetaReply reply = MetaReply.decode(ByteBuffer.wrap(player.next(Heard.class).message()));
      errnos.put(reply.id(), reply.errno());
    }
    assertEquals(Map.of(900L, Errno.OK, made, Errno.OK), errnos);
    assertEquals(Errno.EEXIST, ask(changer, request(MetaOp.MKDIR, ROOT, "d", 0755).inSlot(3)).errno(), "another request");
    assertEquals(1, snapshot().answersRepeated());
  }

  @Test
  void shouldWaitForNobodyWhoHasSaidGoodByeBefore() {
    int holder = connect(11);
    long file = create(holder, "f");
    assertEquals(Errno.OK, ask(holder, lock(file, 1, 0)).errno());
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.BYE, Caller.ROOT, 0)).errno());
    player.hangUp(holder);
    await(() -> snapshot().sessions() == 0, "it ends");
    restart(0);
    sessions.clear();
    int other = connect(13);
    assertEquals(Errno.ENOLCK, ask(other, claim(file, 1)).errno());
    assertEquals(Errno.OK, ask(other, MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0)).errno());
    restart(1);
    assertFalse(snapshot().awaitsClaims(), "who was refused has nothing either");
    other = connect(13);
    assertEquals(Errno.OK, ask(other, lock(file, 1, 0)).errno());
  }

  @Test
  void shouldTellWhoClaimsAnAppendLockThatItIsWantedThoughItHasNotAskedForEventsYet() {
    int holder = connect(11);
    long file = create(holder, "f");
    FileLock append = FileLock.whole(FileLock.APPEND, 0, FileLock.EXCLUSIVE, 0);
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.LOCK, Caller.ROOT, file, 0).withValue(append.encode())).errno());
    restart(1);
    int other = connect(13);
    assertEquals(Errno.EINPROGRESS, ask(other, MetaRequest.of(MetaOp.LOCK, Caller.ROOT, file, 5).withValue(append.encode())).errno());
    holder = connect(11);
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.LOCK, Caller.ROOT, file, 0, 1).withValue(append.encode())).errno());
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.CLAIMED, Caller.ROOT, 0)).errno());
    assertEquals(List.of(new MetaEvent(1, MetaEvent.Kind.WANTED, file)), told(ask(holder, events(null, 0))));
    assertEquals(Errno.OK, ask(holder, MetaRequest.of(MetaOp.LOCK, Caller.ROOT, file, 0).withValue(append.of(FileLock.NONE).encode())).errno());
    assertEquals(List.of(new MetaEvent(1, MetaEvent.Kind.LOCKED, 5)), told(ask(other, events(null, 0))));
  }
}
