package dev.weft.pvfs.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pvfs.DataSums;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.Player;
import dev.weft.pvfs.Player.Down;
import dev.weft.pvfs.Player.Heard;
import dev.weft.pvfs.Player.Up;
import dev.weft.pvfs.Waits;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonReply;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that take no answers: they keep others waiting for as long as the setting says, and no longer. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class StuckClientProtocolTest {
  private static final String SERVICE = "pvfs-io";
  private static final long FILE = 7;
  private static final int CHUNK = StripeMemory.CHUNK_BYTES;

  @TempDir private Path directory;
  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.hca.pin-memory = false\nweft.pvfs.daemon { memory = 256 KiB,"
      + " zones = " + Zones.MEMORY_MIN + ", credits = 8, fast-slots = 2, patience = 200 ms }"));
  private final Node host = fabric.addNode("io");
  private final Player player = Player.on(fabric, "client");
  private IoDaemon daemon;
  private int deaf;
  private int line;

  private void start(boolean isOnDisk) {
    DaemonSettings settings = DaemonSettings.from(fabric.config());
    daemon = IoDaemon.start(host, SERVICE, isOnDisk ? settings.withDirectory(directory.resolve("io").toString()) : settings);
    deaf = player.connectDeaf("io", SERVICE, hello(1));
    assertEquals(deaf, player.next(Up.class).line());
    line = player.connect("io", SERVICE, hello(2));
    assertEquals(line, player.next(Up.class).line());
  }

  private byte[] hello(long instance) {
    return new Hello(instance, 8, 4096, 2, 131_072, player.memory().addr(), player.memory().rkey()).encode();
  }

  @AfterEach
  void end() {
    fabric.close();
  }

  private DaemonSnapshot snapshot() {
    return Waits.ask(fabric, daemon::inspect);
  }

  private DaemonRequest request(DaemonOp op, Band band, long id, long object, long offset, int bytes) {
    DaemonRequest request = new DaemonRequest();
    request.op = op;
    request.band = band;
    request.id = id;
    request.object = object;
    request.isChecked = true;
    if (op == DaemonOp.PUNCH) {
      DaemonRequest.addHole(request.file, offset, offset + bytes);
    } else if (bytes > 0 || op == DaemonOp.TRUNCATE) {
      request.file.add(offset, bytes);
    }
    if (op == DaemonOp.WRITE) {
      request.sum = DataSums.of(object, new byte[bytes], offset, bytes);
    }
    if (band == Band.SERVER && bytes > 0) {
      request.memory.add(player.memory().addr() + 400_000, bytes, player.memory().rkey());
    }
    request.replySlot = band == Band.FAST ? 1 : DaemonRequest.NO_SLOT;
    return request;
  }

  private void say(int to, DaemonRequest request) {
    MemorySegment out = Arena.ofAuto().allocate(DaemonRequest.BYTES_MAX);
    player.say(to, out.asSlice(0, request.encode(out, 0)).toArray(ValueLayout.JAVA_BYTE));
  }

  private int heard(long id) {
    Heard heard = player.next(Heard.class);
    assertEquals(line, heard.line());
    DaemonReply reply = new DaemonReply();
    assertTrue(reply.decode(MemorySegment.ofArray(heard.message()), 0, heard.message().length), reply::problem);
    assertEquals(id, reply.id);
    return reply.errno;
  }

  private int ask(DaemonRequest request) {
    say(line, request);
    return heard(request.id);
  }

  private void awaitMoving(int count) {
    Waits.await(() -> snapshot().moving() == count, () -> snapshot().toString());
  }

  private void assertIsEndedFor(DaemonRequest waiting) {
    say(line, waiting);
    assertEquals(deaf, player.next(Down.class).line(), "who takes nothing has to go");
    assertEquals(Errno.OK, heard(waiting.id));
    assertEquals(1, snapshot().clients().size());
    assertEquals(0, snapshot().moving() + snapshot().starving());
  }

  @ParameterizedTest
  @CsvSource({"FAST, WRITE", "SERVER, WRITE", "FAST, TRUNCATE", "SERVER, PUNCH", "SERVER, REMOVE"})
  void shouldEndTheConnectionOfWhoTakesNothingWhileOthersWaitForIt(Band band, DaemonOp waiting) throws InterruptedException {
    start(false);
    assertEquals(Errno.OK, ask(request(DaemonOp.WRITE, Band.SERVER, 1, FILE, 0, CHUNK)));
    say(deaf, request(DaemonOp.READ, band, 2, FILE, 0, 1000));
    awaitMoving(1);
    Thread.sleep(600); // Three times its patience.
    assertEquals(2, snapshot().clients().size(), "nobody waits for it");
    assertIsEndedFor(waiting == DaemonOp.WRITE ? request(waiting, Band.SERVER, 3, FILE, 500, 1000)
        : request(waiting, Band.INLINE, 3, FILE, 500, waiting == DaemonOp.PUNCH ? 100 : 0));
  }

  /** Given up memory is not used again before what moved at that time is over. */
  @ParameterizedTest
  @EnumSource(names = {"INLINE", "FAST"})
  void shouldEndTheConnectionOfWhoTakesNothingWhereMemoryRunsOut(Band band) {
    start(false);
    assertEquals(Errno.OK, ask(request(DaemonOp.WRITE, Band.SERVER, 1, FILE, 0, 4 * CHUNK)));
    DaemonRequest read = request(DaemonOp.READ, band, 2, FILE, 0, 1000);
    read.isChecked = false;
    say(deaf, read);
    awaitMoving(1);
    assertEquals(Errno.OK, ask(request(DaemonOp.REMOVE, Band.INLINE, 3, FILE, 0, 0)));
    assertIsEndedFor(request(DaemonOp.WRITE, Band.SERVER, 4, FILE + 1, 0, CHUNK));
  }

  /** A write behind an answer that is not taken: its data cannot be fetched. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldEndTheConnectionOfWhoseDataCannotBeFetched(boolean isOnDisk) {
    start(isOnDisk);
    assertEquals(Errno.OK, ask(request(DaemonOp.WRITE, Band.SERVER, 1, FILE, 0, CHUNK)));
    say(deaf, request(DaemonOp.STAT, Band.INLINE, 2, FILE, 0, 0));
    Waits.await(() -> snapshot().requests().get(DaemonOp.STAT.ordinal()) == 1 && snapshot().clients().stream().allMatch(client -> client.underWay() == 0),
        () -> "the answer is sent: " + snapshot());
    say(deaf, request(DaemonOp.WRITE, Band.SERVER, 3, FILE, 0, 1000));
    awaitMoving(1);
    assertIsEndedFor(request(DaemonOp.TRUNCATE, Band.INLINE, 4, FILE, 10, 0));
  }
}
