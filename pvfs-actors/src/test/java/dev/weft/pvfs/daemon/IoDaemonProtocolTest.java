package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import dev.weft.pvfs.Player.Sign;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Player.Written;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.Capability;
import dev.weft.pvfs.wire.CapabilityKey;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The protocol of an I/O daemon, message by message: probes play its clients, also such as repeat, cross, forge and leave. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class IoDaemonProtocolTest {
  private static final String SERVICE = "pvfs-io";
  private static final int CREDITS = 8;
  private static final long FILE = 7;
  private static final long SESSION = 11;
  private static final long NOW_NS = 1_000_000_000_000L;
  private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  @TempDir private Path directory;
  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon { memory = 16 MiB,"
      + " zones = 12 MiB, credits = " + CREDITS + ", fast-slots = 2, direct-buffers = 1 }"));
  private final Node host = fabric.addNode("io");
  private IoDaemon daemon;
  private HcaSnapshot idle;
  private long free;
  private final Player player = Player.on(fabric, "client");

  private void start(boolean isOnDisk) {
    DaemonSettings settings = DaemonSettings.from(fabric.config());
    daemon = IoDaemon.start(host, SERVICE, isOnDisk ? settings.withDirectory(directory.resolve("io").toString()) : settings, KEY, () -> NOW_NS);
    free = snapshot().freeBytes();
    idle = host.hca().inspect();
  }

  /** Whatever clients did: when they are gone, all that they had is back. */
  @AfterEach
  void nothingIsLeft() {
    try {
      int manager = connect(4242);
      player.say(manager, bytes(request(DaemonOp.REMOVE, Band.INLINE, 900, 0).capable(FILE, Capability.ACCESS_MASK, Capability.MANAGER, NOW_NS + 1)));
      await(() -> snapshot().objects() == 0, "the file is removed");
      fabric.closeNode("client");
      await(() -> snapshot().clients().isEmpty(), "its clients are gone");
      DaemonSnapshot state = snapshot();
      assertEquals(0, state.moving() + state.starving() + state.lent(), state::toString);
      if (state.disk() == null) {
        await(() -> snapshot().freeBytes() == free, "all memory is free");
      } else {
        await(() -> snapshot().disk().zonesUsed() + snapshot().disk().queue() == 0, "the disk has done what is left");
      }
      HcaSnapshot now = host.hca().inspect();
      assertEquals(idle.queuePairs().size(), now.queuePairs().size(), "queue pairs");
      assertEquals(idle.memoryRegions().size(), now.memoryRegions().size(), "registered memory");
      assertEquals(idle.memoryWindows().size(), now.memoryWindows().size(), "windows");
      assertEquals(idle.protectionDomains(), now.protectionDomains(), "what belongs to domains");
    } finally {
      fabric.close();
    }
  }

  private void await(BooleanSupplier condition, String what) {
    Waits.await(condition, () -> what + ": " + snapshot());
  }

  private DaemonSnapshot snapshot() {
    return Waits.ask(fabric, daemon::inspect);
  }

  /** A request with a capability for all of the file. */
  private static final class Asked {
    final DaemonRequest wire = new DaemonRequest();
    byte[] data = {};

    Asked capable(long inode, int access, long session, long expiryNs) {
      ByteBuffer out = ByteBuffer.wrap(wire.capability);
      new CapabilityKey(KEY).encode(new Capability(inode, access, session, expiryNs), out);
      return this;
    }

    Asked with(String text) {
      data = text.getBytes(StandardCharsets.US_ASCII);
      return this;
    }
  }

  private static Asked request(DaemonOp op, Band band, long id, int bytes) {
    Asked asked = new Asked();
    asked.wire.op = op;
    asked.wire.band = band;
    asked.wire.id = id;
    asked.wire.object = FILE;
    if (bytes > 0) {
      asked.wire.file.add(0, bytes);
    }
    return asked.capable(FILE, Capability.ACCESS_MASK, SESSION, NOW_NS + 1);
  }

  private static Asked write(long id, String text) {
    return request(DaemonOp.WRITE, Band.INLINE, id, text.length()).with(text);
  }

  private static Asked read(long id) {
    return request(DaemonOp.READ, Band.INLINE, id, 4);
  }

  /** With data that moves to and from the player's memory. */
  private Asked remote(DaemonOp op, Band band, long id, int bytes) {
    Asked asked = request(op, band, id, bytes);
    asked.wire.memory.add(player.memory().addr(), bytes, player.memory().rkey());
    return asked;
  }

  private static byte[] bytes(Asked asked) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonRequest.BYTES_MAX + asked.data.length);
    int length = asked.wire.encode(out, 0);
    MemorySegment.copy(asked.data, 0, out, ValueLayout.JAVA_BYTE, length, asked.data.length);
    return out.asSlice(0, length + asked.data.length).toArray(ValueLayout.JAVA_BYTE);
  }

  private static byte[] done(long id) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonRequest.BYTES_MAX);
    return out.asSlice(0, DaemonRequest.encodeDone(out, 0, id)).toArray(ValueLayout.JAVA_BYTE);
  }

  private Hello hello(long instance) {
    return new Hello(instance, CREDITS, 4096, 2, 65_536, player.memory().addr(), player.memory().rkey());
  }

  private int connect(long instance) {
    int line = player.connect("io", SERVICE, hello(instance).encode());
    assertEquals(CREDITS, Hello.decode(player.next(Up.class).said()).credits());
    return line;
  }

  /** The daemon ends the connection that the client had before, so that nothing comes late by it. */
  private int connectAgain(int before, long instance) {
    int line = player.connect("io", SERVICE, hello(instance).encode());
    assertEquals(before, player.next(Down.class).line());
    assertEquals(line, player.next(Up.class).line());
    return line;
  }

  private record Answer(DaemonReply head, String data) {}

  private Answer answer(int line, long id) {
    Heard heard = player.next(Heard.class);
    assertEquals(line, heard.line());
    DaemonReply reply = new DaemonReply();
    assertTrue(reply.decode(MemorySegment.ofArray(heard.message()), 0, heard.message().length), reply::problem);
    assertEquals(id, reply.id);
    assertEquals(reply.isLoan ? 0 : 1, reply.credits, "each answer brings one credit back");
    int head = reply.isLoan ? DaemonReply.LOAN_BYTES : DaemonReply.BYTES;
    return new Answer(reply, new String(Arrays.copyOfRange(heard.message(), head, heard.message().length), StandardCharsets.US_ASCII));
  }

  private int errno(int line, Asked asked) {
    player.say(line, bytes(asked));
    return answer(line, asked.wire.id).head().errno;
  }

  private String text(int line, long id) {
    player.say(line, bytes(read(id)));
    return answer(line, id).data();
  }

  private DaemonReply borrow(int line, Asked asked) {
    player.say(line, bytes(asked));
    DaemonReply loan = answer(line, asked.wire.id).head();
    assertTrue(loan.isLoan);
    return loan;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDoARequestOnceThatComesTwiceOnOneConnection(boolean isOnDisk) {
    start(isOnDisk);
    int line = connect(1);
    assertEquals(Errno.OK, errno(line, write(1, "once")));
    assertEquals(Errno.OK, errno(line, write(2, "more")));
    assertEquals(Errno.OK, errno(line, write(1, "once")));
    assertEquals("more", text(line, 3));
    assertEquals(1, snapshot().repeated());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDoARequestOnceThatComesAgainOnAnotherConnection(boolean isOnDisk) {
    start(isOnDisk);
    int first = connect(1);
    assertEquals(Errno.OK, errno(first, write(1, "once")));
    int second = connectAgain(first, 1);
    assertEquals(Errno.OK, errno(second, write(2, "more")));
    assertEquals(Errno.OK, errno(second, write(1, "once")));
    player.hangUp(second);
    int third = connect(1);
    assertEquals(Errno.OK, errno(third, write(1, "once")));
    assertEquals("more", text(third, 3));
    int another = connect(2);
    assertEquals(Errno.OK, errno(another, write(1, "new.")), "the same number of another client is another request");
    assertEquals("new.", text(third, 4));
    assertEquals(2, snapshot().repeated());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGiveUpWhatWaitsForItsDataWhenItsClientConnectsAgain(boolean isOnDisk) {
    start(isOnDisk);
    int first = connect(1);
    borrow(first, remote(DaemonOp.WRITE, Band.CLIENT, 1, 4));
    int other = connect(2);
    int second = connectAgain(first, 1);
    assertEquals(Errno.OK, errno(second, write(1, "fast")));
    assertEquals("fast", text(second, 2));
    assertEquals("fast", text(other, 3), "the connection of another client stays");
    assertEquals(2, snapshot().clients().size());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRefuseCapabilitiesThatAreForgedOfAnotherFileOrOld(boolean isOnDisk) {
    start(isOnDisk);
    int line = connect(1);
    assertEquals(Errno.OK, errno(line, write(1, "true")));
    Asked forged = write(2, "evil");
    forged.wire.capability[CapabilityKey.ENCODED_BYTES - 1] ^= 1;
    assertEquals(Errno.EACCES, errno(line, forged));
    Asked widened = write(3, "evil").capable(FILE, Capability.READ, SESSION, NOW_NS + 1);
    widened.wire.capability[1] = (byte) Capability.ACCESS_MASK;
    assertEquals(Errno.EACCES, errno(line, widened), "more access than was marked");
    assertEquals(Errno.EACCES, errno(line, write(4, "evil").capable(FILE + 1, Capability.ACCESS_MASK, SESSION, NOW_NS + 1)));
    assertEquals(Errno.EACCES, errno(line, write(5, "evil").capable(FILE, Capability.READ, SESSION, NOW_NS + 1)));
    assertEquals(Errno.ESTALE, errno(line, write(6, "evil").capable(FILE, Capability.ACCESS_MASK, SESSION, NOW_NS)));
    assertEquals(Errno.EACCES, errno(line, request(DaemonOp.REMOVE, Band.INLINE, 7, 0)), "only the manager removes");
    assertEquals(Errno.OK, errno(line, write(1, "true").capable(FILE, Capability.WRITE, SESSION, NOW_NS)), "it was done while that was good");
    assertEquals(Errno.OK, errno(line, write(6, "good")), "it was refused, not done");
    assertEquals("good", text(line, 8));
    assertEquals(6, snapshot().refused());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAnswerInASlotThatItHasAndInNoOther(boolean isOnDisk) {
    start(isOnDisk);
    int line = connect(1);
    assertEquals(Errno.OK, errno(line, write(1, "slot")));
    for (int slot : new int[] {2, 254, DaemonRequest.NO_SLOT}) {
      Asked out = request(DaemonOp.READ, Band.FAST, 10 + slot, 4);
      out.wire.replySlot = slot;
      assertEquals(Errno.EINVAL, errno(line, out), "slot " + slot);
    }
    Asked in = request(DaemonOp.READ, Band.FAST, 2, 4);
    in.wire.replySlot = 1;
    player.say(line, bytes(in));
    Written written = player.next(Written.class);
    assertEquals(1, written.immediate());
    byte[] data = player.memory().segment().asSlice(65_536 + DaemonReply.BYTES, 4).toArray(ValueLayout.JAVA_BYTE);
    assertArrayEquals("slot".getBytes(StandardCharsets.US_ASCII), data);
  }

  @Test
  void shouldEndTheConnectionOfWhoWritesBehindTheLentBuffers() {
    start(false);
    int line = player.connect("io", SERVICE, hello(1).encode());
    Hello theirs = Hello.decode(player.next(Up.class).said());
    player.write(line, bytes(write(1, "fast")), theirs.address(), theirs.rkey(), 2);
    assertEquals(line, player.next(Down.class).line());
    assertEquals(0, snapshot().objects());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndTheConnectionOfWhoAsksMoreThanItsCreditsAllowAndTakeTheLoanBack(boolean isOnDisk) {
    start(isOnDisk);
    int line = connect(1);
    int other = connect(2);
    borrow(line, remote(DaemonOp.READ, Band.CLIENT, 1, 4));
    for (int id = 2; id <= CREDITS + 1; id++) {
      player.say(line, bytes(remote(DaemonOp.READ, Band.CLIENT, id, 4)));
    }
    assertEquals(line, player.next(Down.class).line());
    borrow(other, remote(DaemonOp.WRITE, Band.CLIENT, 1, 4));
    assertEquals(1, snapshot().lent());
    player.say(other, done(1));
    assertEquals(4, answer(other, 1).head().bytes);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndTheConnectionOfWhoIsDoneWithALoanOfAnotherAndLeaveThatItsOwn(boolean isOnDisk) {
    start(isOnDisk);
    int owner = connect(1);
    int thief = connect(2);
    borrow(owner, remote(DaemonOp.WRITE, Band.CLIENT, 5, 4));
    player.say(thief, done(5));
    assertEquals(thief, player.next(Down.class).line());
    player.say(owner, done(5));
    assertEquals(Errno.OK, answer(owner, 5).head().errno);
    player.say(owner, done(5));
    assertEquals(owner, player.next(Down.class).line(), "it has said so before");
    assertEquals(2, snapshot().refused());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLoseNothingOfClientsThatLeaveInTheMiddle(boolean isOnDisk) {
    start(isOnDisk);
    int lent = connect(1);
    int waits = connect(2);
    int stays = connect(3);
    borrow(lent, remote(DaemonOp.WRITE, Band.CLIENT, 1, 4));
    player.say(waits, bytes(remote(DaemonOp.WRITE, Band.CLIENT, 1, 4)));
    player.say(stays, bytes(remote(DaemonOp.WRITE, Band.CLIENT, 1, 4)));
    await(() -> snapshot().clients().stream().mapToInt(DaemonSnapshot.Client::underWay).sum() == 3, "all three have come");
    player.hangUp(waits);
    player.hangUp(lent);
    assertTrue(answer(stays, 1).head().isLoan, "it gets the buffer");
    for (int id = 2; id < 6; id++) {
      player.say(stays, bytes(remote(DaemonOp.WRITE, Band.SERVER, id, 900_000)));
    }
    player.hangUp(stays); // Somewhere between the first RDMA Read and the last answer.
    int last = player.connect("io", SERVICE, hello(4).encode());
    Sign sign = player.next(Sign.class);
    while (sign instanceof Heard heard && heard.line() == stays) { // Answers that were faster.
      sign = player.next(Sign.class);
    }
    assertEquals(last, assertInstanceOf(Up.class, sign).line());
    borrow(last, remote(DaemonOp.READ, Band.CLIENT, 1, 4));
    assertEquals(1, snapshot().lent());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndTheConnectionOfWhoseMemoryCannotBeReachedAndLeaveTheFileAsItWas(boolean isOnDisk) {
    start(isOnDisk);
    int line = connect(1);
    assertEquals(Errno.OK, errno(line, write(1, "kept")));
    Asked wrong = request(DaemonOp.WRITE, Band.SERVER, 2, 100_000);
    wrong.wire.memory.add(player.memory().addr(), 100_000, player.memory().rkey() ^ 0x55);
    player.say(line, bytes(wrong));
    assertEquals(line, player.next(Down.class).line());
    int again = connect(1);
    assertEquals("kept", text(again, 3));
    player.say(again, bytes(request(DaemonOp.STAT, Band.INLINE, 4, 0)));
    assertEquals(4, answer(again, 4).head().objectBytes);
    Asked right = remote(DaemonOp.WRITE, Band.SERVER, 2, 100_000);
    assertEquals(Errno.OK, errno(again, right), "it was not done, and is done now");
  }

  @Test
  void shouldTakeNoGarbage() {
    start(false);
    int refused = player.connect("io", SERVICE, new byte[] {1, 2, 3});
    assertEquals(refused, player.next(Refused.class).line());
    byte[] version = bytes(write(1, "text"));
    version[0]++;
    byte[] longer = Arrays.copyOf(bytes(write(1, "text")), 400);
    byte[] none = bytes(request(DaemonOp.WRITE, Band.INLINE, 1, 4));
    for (byte[] garbage : new byte[][] {{1}, new byte[3000], version, longer, none}) {
      int line = connect(1);
      player.say(line, garbage);
      assertEquals(line, player.next(Down.class).line());
    }
    assertEquals(0, snapshot().objects());
    assertEquals(6, snapshot().refused());
  }
}
