package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.DataSums;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Player;
import dev.weft.pvfs.Player.Heard;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Player.Written;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an I/O daemon does with data that is not what its client has sent, band by band; and the checksums of what it sends. A probe plays the client. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class ChecksumProtocolTest {
  private static final String SERVICE = "pvfs-io";
  private static final long FILE = 7;
  /** Of the player's memory: where data is that daemons fetch, or is brought; the lent buffers lie before it. */
  private static final int DATA_AT = 400_000;

  @TempDir private Path directory;
  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon { memory = 16 MiB,"
      + " zones = 12 MiB, credits = 8, fast-slots = 2, direct-buffers = 1 }"));
  private final Node host = fabric.addNode("io");
  private final Player player = Player.on(fabric, "client");
  private IoDaemon daemon;
  private Hello theirs;
  private int line;

  private static Stream<Arguments> bandsAndStores() {
    return Arrays.stream(Band.values()).flatMap(band -> Stream.of(Arguments.of(band, false), Arguments.of(band, true)));
  }

  private void start(boolean isOnDisk) {
    DaemonSettings settings = DaemonSettings.from(fabric.config());
    daemon = IoDaemon.start(host, SERVICE, isOnDisk ? settings.withDirectory(directory.resolve("io").toString()) : settings);
    Hello ours = new Hello(1, 8, 4096, 2, 131_072, player.memory().addr(), player.memory().rkey());
    line = player.connect("io", SERVICE, ours.encode());
    theirs = Hello.decode(player.next(Up.class).said());
  }

  /** Nothing of what was refused is left under way. */
  @AfterEach
  void nothingIsLeft() {
    try {
      Waits.await(() -> snapshot().clients().getFirst().underWay() == 0, () -> snapshot().toString());
      assertEquals(0, snapshot().moving() + snapshot().starving() + snapshot().lent());
    } finally {
      fabric.close();
    }
  }

  private DaemonSnapshot snapshot() {
    return Waits.ask(fabric, daemon::inspect);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static DaemonRequest request(DaemonOp op, Band band, long id, long offset, int bytes) {
    DaemonRequest request = new DaemonRequest();
    request.op = op;
    request.band = band;
    request.id = id;
    request.object = FILE;
    if (op == DaemonOp.PUNCH) {
      DaemonRequest.addHole(request.file, offset, offset + bytes);
    } else {
      request.file.add(offset, bytes);
    }
    request.isChecked = true;
    return request;
  }

  private static byte[] encode(DaemonRequest request, byte[] data) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonRequest.BYTES_MAX + data.length);
    int length = request.encode(out, 0);
    MemorySegment.copy(data, 0, out, ValueLayout.JAVA_BYTE, length, data.length);
    return out.asSlice(0, length + data.length).toArray(ValueLayout.JAVA_BYTE);
  }

  private DaemonReply heard() {
    Heard heard = player.next(Heard.class);
    assertEquals(line, heard.line());
    return decode(MemorySegment.ofArray(heard.message()));
  }

  private static DaemonReply decode(MemorySegment message) {
    DaemonReply reply = new DaemonReply();
    assertTrue(reply.decode(message, 0, (int) message.byteSize()), reply::problem);
    return reply;
  }

  /** Memory of the daemon that it has lent for a request: here as it lies there, since all is one process. */
  private static MemorySegment lent(DaemonReply loan, int bytes) {
    assertTrue(loan.isLoan);
    return MemorySegment.ofAddress(loan.loanAddress).reinterpret(bytes);
  }

  private void sayDone(long id) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonRequest.BYTES_MAX);
    player.say(line, out.asSlice(0, DaemonRequest.encodeDone(out, 0, id)).toArray(ValueLayout.JAVA_BYTE));
  }

  /** A write of data that is {@code sent} by a band, and of which {@code arrives} arrives; its errno. */
  private int write(Band band, long id, long offset, byte[] sent, byte[] arrives) {
    DaemonRequest request = request(DaemonOp.WRITE, band, id, offset, sent.length);
    request.sum = DataSums.of(FILE, sent, offset, sent.length);
    switch (band) {
      case INLINE -> player.say(line, encode(request, arrives));
      case FAST -> player.write(line, encode(request, arrives), theirs.address(), theirs.rkey(), 0);
      case SERVER, CLIENT -> {
        request.memory.add(player.memory().addr() + DATA_AT, sent.length, player.memory().rkey());
        MemorySegment.copy(arrives, 0, player.memory().segment(), ValueLayout.JAVA_BYTE, DATA_AT, arrives.length);
        player.say(line, encode(request, new byte[0]));
      }
    }
    if (band == Band.CLIENT) {
      MemorySegment.copy(arrives, 0, lent(heard(), arrives.length), ValueLayout.JAVA_BYTE, 0, arrives.length);
      sayDone(id);
    }
    DaemonReply reply = heard();
    assertEquals(id, reply.id);
    assertEquals(1, reply.credits);
    return reply.errno;
  }

  private int write(Band band, long id, String text) {
    return write(band, id, 0, bytes(text), bytes(text));
  }

  private record Had(DaemonReply head, byte[] data) {}

  private Had read(Band band, long id, long offset, int bytes) {
    return read(band, request(DaemonOp.READ, band, id, offset, bytes), bytes);
  }

  private Had read(Band band, DaemonRequest request, int bytes) {
    request.replySlot = band == Band.FAST ? 1 : DaemonRequest.NO_SLOT;
    if (!band.hasDataBehind()) {
      request.memory.add(player.memory().addr() + DATA_AT, bytes, player.memory().rkey());
    }
    player.say(line, encode(request, new byte[0]));
    switch (band) {
      case INLINE -> {
        Heard heard = player.next(Heard.class);
        return new Had(decode(MemorySegment.ofArray(heard.message())), Arrays.copyOfRange(heard.message(), DaemonReply.BYTES, heard.message().length));
      }
      case FAST -> {
        player.next(Written.class);
        MemorySegment slot = player.memory().segment().asSlice(131_072, DaemonReply.BYTES + bytes);
        return new Had(decode(slot), slot.asSlice(DaemonReply.BYTES).toArray(ValueLayout.JAVA_BYTE));
      }
      case SERVER -> {
        DaemonReply head = heard();
        return new Had(head, player.memory().segment().asSlice(DATA_AT, bytes).toArray(ValueLayout.JAVA_BYTE));
      }
      case CLIENT -> {
        byte[] data = lent(heard(), bytes).toArray(ValueLayout.JAVA_BYTE);
        sayDone(request.id);
        return new Had(heard(), data);
      }
    }
    throw new AssertionError(band);
  }

  @ParameterizedTest
  @MethodSource("bandsAndStores")
  void shouldRefuseDataThatIsNotWhatWasSentAndTakeItUnderTheSameNumberThen(Band band, boolean isOnDisk) {
    start(isOnDisk);
    assertEquals(Errno.OK, write(Band.INLINE, 1, "kept"));
    byte[] sent = bytes("what was sent");
    byte[] flipped = sent.clone();
    flipped[9] ^= 0x10;
    assertEquals(Errno.EBADMSG, write(band, 2, 0, sent, flipped));
    Had had = read(Band.INLINE, 3, 0, 4);
    assertEquals(4, had.head().objectBytes, "the length is what it was");
    if (band != Band.SERVER || isOnDisk) { // What a daemon fetches to stripes in memory is there.
      assertEquals("kept", new String(had.data(), StandardCharsets.US_ASCII));
    }
    assertEquals(1, snapshot().badWrites());
    assertEquals(Errno.OK, write(band, 2, 0, sent, sent), "it was not done");
    assertEquals("what was sent", new String(read(Band.INLINE, 4, 0, sent.length).data(), StandardCharsets.US_ASCII));
    assertEquals(0, snapshot().repeated());
    assertEquals(1, snapshot().badWrites());
  }

  /** In memory of the daemon, where the data was whole already. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldFindABitThatFlipsBetweenLandingAndCheck(boolean isOnDisk) {
    start(isOnDisk);
    byte[] sent = bytes("landed as it was sent");
    DaemonRequest request = request(DaemonOp.WRITE, Band.CLIENT, 1, 0, sent.length);
    request.sum = DataSums.of(FILE, sent, 0, sent.length);
    request.memory.add(player.memory().addr(), sent.length, player.memory().rkey());
    player.say(line, encode(request, new byte[0]));
    MemorySegment landed = lent(heard(), sent.length);
    MemorySegment.copy(sent, 0, landed, ValueLayout.JAVA_BYTE, 0, sent.length);
    landed.set(ValueLayout.JAVA_BYTE, 3, (byte) (landed.get(ValueLayout.JAVA_BYTE, 3) ^ 1));
    sayDone(1);
    assertEquals(Errno.EBADMSG, heard().errno);
    assertEquals(1, snapshot().badWrites());
    assertEquals(0, read(Band.INLINE, 2, 0, 4).head().objectBytes);
  }

  @ParameterizedTest
  @MethodSource("bandsAndStores")
  void shouldRefuseDataThatWasSentToAnotherPlace(Band band, boolean isOnDisk) {
    start(isOnDisk);
    byte[] data = bytes("data");
    DaemonRequest moved = request(DaemonOp.WRITE, Band.INLINE, 1, 8, data.length);
    moved.sum = DataSums.of(FILE, data, 0, data.length);
    player.say(line, encode(moved, data));
    assertEquals(Errno.EBADMSG, heard().errno);
    DaemonRequest ofAnother = request(DaemonOp.WRITE, Band.INLINE, 2, 8, data.length);
    ofAnother.sum = DataSums.of(FILE + 1, data, 8, data.length);
    player.say(line, encode(ofAnother, data));
    assertEquals(Errno.EBADMSG, heard().errno);
    assertEquals(Errno.OK, write(band, 3, 8, data, data));
    assertEquals(2, snapshot().badWrites());
  }

  /** Beyond its end an object has nothing, and before what was written a hole. */
  @ParameterizedTest
  @MethodSource("bandsAndStores")
  void shouldSayTheChecksumOfWhatTheObjectHas(Band band, boolean isOnDisk) {
    start(isOnDisk);
    byte[] data = new byte[1000];
    Arrays.fill(data, (byte) 'x');
    assertEquals(Errno.OK, write(Band.INLINE, 1, 80_000, data, data));
    byte[] expected = new byte[2000];
    System.arraycopy(data, 0, expected, 1000, 1000);
    Had whole = read(band, 2, 79_000, 2000);
    assertEquals(Errno.OK, whole.head().errno);
    assertTrue(whole.head().hasSum);
    assertEquals(DataSums.of(FILE, expected, 79_000, 2000), whole.head().sum);
    assertTrue(Arrays.equals(expected, whole.data()));
    Had beyond = read(band, 3, 80_000, 3000);
    assertEquals(81_000, beyond.head().objectBytes);
    assertEquals(DataSums.of(FILE, data, 80_000, 3000), beyond.head().sum);
    DaemonRequest unchecked = request(DaemonOp.READ, band, 4, 80_000, 10);
    unchecked.isChecked = false;
    assertFalse(read(band, unchecked, 10).head().hasSum);
  }

  /** Whole chunks, whose checksums a daemon in memory remembers. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSayTheChecksumOfWhatLiesThereAfterEveryKindOfChange(boolean isOnDisk) {
    start(isOnDisk);
    byte[] all = new byte[3 * 65_536];
    new Random(5).nextBytes(all);
    assertEquals(Errno.OK, write(Band.SERVER, 1, 0, all, all));
    assertReads(10, all);
    assertReads(11, all);
    long id = 20;
    for (Band band : Band.values()) {
      byte[] some = bytes("by " + band);
      int at = 65_530 * (band.ordinal() % 2 + 1); // Over the end of a chunk.
      System.arraycopy(some, 0, all, at, some.length);
      assertEquals(Errno.OK, write(band, id++, at, some, some));
      assertReads(id++, all);
      byte[] refused = bytes("not what was sent");
      byte[] before = Arrays.copyOfRange(all, at, at + refused.length);
      assertEquals(Errno.EBADMSG, write(band, id, at, before, refused));
      if (band == Band.SERVER && !isOnDisk) {
        System.arraycopy(refused, 0, all, at, refused.length);
      }
      assertReads(id + 1, all);
      assertEquals(Errno.OK, write(band, id, at, before, before));
      System.arraycopy(before, 0, all, at, before.length);
      assertReads(id + 2, all);
      id += 3;
    }
    byte[] unchecked = new byte[65_536];
    Arrays.fill(unchecked, (byte) 'u');
    System.arraycopy(unchecked, 0, all, 65_536, unchecked.length);
    MemorySegment.copy(unchecked, 0, player.memory().segment(), ValueLayout.JAVA_BYTE, DATA_AT, unchecked.length);
    DaemonRequest without = request(DaemonOp.WRITE, Band.SERVER, 60, 65_536, unchecked.length);
    without.isChecked = false;
    without.memory.add(player.memory().addr() + DATA_AT, unchecked.length, player.memory().rkey());
    assertEquals(Errno.OK, ask(without));
    assertReads(61, all);
    assertEquals(Errno.OK, ask(request(DaemonOp.PUNCH, Band.INLINE, 62, 65_500, 100)));
    Arrays.fill(all, 65_500, 65_600, (byte) 0);
    assertReads(63, all);
    assertEquals(Errno.OK, ask(request(DaemonOp.TRUNCATE, Band.INLINE, 64, 70_000, 0)));
    assertEquals(Errno.OK, ask(request(DaemonOp.EXTEND, Band.INLINE, 65, all.length, 0)));
    Arrays.fill(all, 70_000, all.length, (byte) 0);
    assertReads(66, all);
  }

  private int ask(DaemonRequest request) {
    player.say(line, encode(request, new byte[0]));
    return heard().errno;
  }

  private void assertReads(long id, byte[] all) {
    Had had = read(Band.SERVER, id, 0, all.length);
    assertEquals(Errno.OK, had.head().errno);
    assertEquals(-1, Arrays.mismatch(all, had.data()), () -> "what request " + id + " read");
    assertEquals(DataSums.of(FILE, all, 0, all.length), had.head().sum, () -> "the checksum of what request " + id + " read");
  }

  @Test
  void shouldAskNoChecksumOfWhoHasNone() {
    start(false);
    DaemonRequest request = request(DaemonOp.WRITE, Band.INLINE, 1, 0, 4);
    request.isChecked = false;
    player.say(line, encode(request, bytes("text")));
    assertEquals(Errno.OK, heard().errno);
    assertEquals(0, snapshot().badWrites());
  }
}
