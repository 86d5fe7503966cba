package dev.weft.pager.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pager.Errno;
import dev.weft.pager.ScriptedPeer;
import dev.weft.pager.wire.Handshake.AreaName;
import dev.weft.pager.wire.Handshake.Purpose;
import dev.weft.pager.wire.Handshake.Wish;
import dev.weft.pager.wire.PagerOp;
import dev.weft.pager.wire.PagerRequest;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The protocol of a memory server, message by message: its clients are scripted, over real queue pairs in virtual time. It lends 4 MiB to
 * three clients at most, gives each four credits, and keeps the area of one that is lost for a minute.
 */
@Tag("simulation")
class MemoryServerProtocolTest {
  private static final long MIB = 1 << 20;
  private static final long SECOND = 1_000_000_000L;
  private static final int BLOCK = 4096;
  private static final String SETTINGS =
      "weft.pager.server { memory = 4 MiB, clients-max = 3, credits = 4, inline-write = 64, max-request = 16 KiB, keep-time = 60 s }";

  private VirtualFabric fabric;
  private Node node;
  private MemoryServer server;
  private ScriptedPeer client;

  @BeforeEach
  void start() {
    start(ConfigFactory.empty());
  }

  private void start(Config overrides) {
    if (fabric != null) {
      fabric.close();
    }
    fabric = new VirtualFabric(1, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE, overrides);
    node = fabric.addNode("server");
    server = MemoryServer.start(node, MemoryServer.SERVICE,
        ServerSettings.from(ConfigFactory.parseString(SETTINGS).withFallback(ConfigFactory.load())), null);
    client = peer("c");
  }

  @AfterEach
  void allIsSaid() {
    client.hears();
    fabric.close();
  }

  private ScriptedPeer peer(String name) {
    return new ScriptedPeer(fabric, name);
  }

  private static byte[] wish(long bytes) {
    return new Wish(bytes, 8, 16_384, 4096, MailboxAddress.NONE).encode();
  }

  private static byte[] wish(Purpose purpose, AreaName area, long bytes) {
    return new Wish(purpose, area, bytes, 8, 16_384, 4096, MailboxAddress.NONE).encode();
  }

  /** The client gets an area of 1 MiB. */
  private void connect() {
    client.connect("server", wish(MIB));
    client.hears("granted area 1, 4 credits, inline 64");
  }

  private void refused(byte[] wish, String why) {
    client.connect("server", wish);
    client.hears("refused " + why);
    client.channel.close();
  }

  /** How much the server could lend, as it says when it is asked for too much. */
  private void lendable(long bytes) {
    ScriptedPeer asker = peer("asker" + fabric.directory().nodes().size());
    asker.connect("server", wish(64 * MIB));
    asker.hears("refused NO_MEMORY, free " + bytes);
  }

  private void send(PagerOp op, long id, long offset, long length, Consumer<PagerRequest> edit, int size) {
    PagerRequest request = new PagerRequest();
    request.op = op;
    request.id = id;
    request.areaOffset = offset;
    request.length = length;
    request.clientAddress = client.mr.addr();
    edit.accept(request);
    client.send(request, size);
  }

  private void send(PagerOp op, long id, long offset, long length) {
    send(op, id, offset, length, request -> { }, PagerRequest.BYTES);
  }

  /** Writes a block of one value. */
  private void write(long offset, int value) {
    client.fill(0, BLOCK, value);
    send(PagerOp.WRITE, 1, offset, BLOCK);
    client.hears("1 ok");
  }

  /** Reads a block, whose bytes all have this value. */
  private void reads(long offset, int value) {
    client.fill(0, BLOCK, 99);
    send(PagerOp.READ, 1, offset, BLOCK);
    client.hears("1 ok");
    assertEquals(value, client.value(0, BLOCK));
  }

  // ---- the handshake

  @Test
  void shouldGrantWhatItHasOfWhatIsWantedAndNameEachArea() {
    connect();
    ScriptedPeer second = peer("d");
    second.connect("server", new Wish(MIB, 2, 4096, 16, MailboxAddress.NONE).encode());
    second.hears("granted area 2, 2 credits, inline 16");
    assertEquals(client.grant.area().incarnation(), second.grant.area().incarnation());
    lendable(2 * MIB);
  }

  @Test
  void shouldSayWhyItRefuses() {
    refused(new byte[] {1, 2, 3}, "BAD_REQUEST, free 4194304");
    refused(wish(0), "BAD_REQUEST, free 4194304");
    refused(new Wish(MIB, 0, 4096, 0, MailboxAddress.NONE).encode(), "BAD_REQUEST, free 4194304");
    MailboxAddress small = new MailboxAddress(4096, 1, 7, 256 + MailboxAddress.TRAILER_BYTES);
    refused(new Wish(MIB, 8, 4096, 0, small).encode(), "BAD_REQUEST, free 4194304");
    refused(new Wish(MIB, 8, 16_385, 0, MailboxAddress.NONE).encode(), "REQUEST_TOO_LONG, free 4194304");
    refused(wish(4 * MIB + 1), "NO_MEMORY, free 4194304");
    refused(wish(Purpose.RESUME, new AreaName(1, 1), MIB), "UNKNOWN_AREA, free 4194304");
    for (int i = 1; i <= 3; i++) {
      ScriptedPeer other = peer("d" + i);
      other.connect("server", wish(MIB));
      other.hears("granted area " + i + ", 4 credits, inline 64");
    }
    refused(wish(MIB), "TOO_MANY_CLIENTS, free 1048576");
  }

  @Test
  void shouldLendNothingToWhomItsHcaHasNoRoomFor() {
    start(ConfigFactory.parseString("weft.hca.queue-pairs-max = 1"));
    connect();
    int regions = node.hca().inspect().memoryRegions().size();
    ScriptedPeer second = peer("d");
    second.connect("server", wish(MIB));
    second.hears("refused NO_HCA_RESOURCES, free " + 3 * MIB);
    lendable(3 * MIB);
    assertEquals(regions, node.hca().inspect().memoryRegions().size());
  }

  // ---- requests

  @Test
  void shouldHaveTheDataThereBeforeItAnswersARead() {
    connect();
    client.fill(0, BLOCK, 99);
    int[] value = {-1};
    client.onReply = () -> value[0] = client.value(0, BLOCK);
    send(PagerOp.READ, 7, 0, BLOCK);
    client.hears("7 ok");
    assertEquals(0, value[0], "a new area holds zeros");
  }

  @Test
  void shouldHaveTakenTheDataBeforeItAnswersAWrite() {
    connect();
    client.onReply = () -> client.fill(0, BLOCK, 55);
    client.fill(0, BLOCK, 5);
    send(PagerOp.WRITE, 7, 2 * BLOCK, BLOCK);
    client.hears("7 ok");
    client.onReply = () -> { };
    reads(2 * BLOCK, 5);
    reads(BLOCK, 0);
  }

  @Test
  void shouldAnswerInTheirOrderRequestsThatWaitForNoData() {
    connect();
    write(0, 5);
    send(PagerOp.READ, 11, 0, BLOCK);
    send(PagerOp.TRIM, 12, 0, BLOCK);
    send(PagerOp.STATUS, 13, 0, 2 * BLOCK);
    send(PagerOp.FLUSH, 14, 0, 1);
    client.hears("11 ok", "12 ok", "13 ok -8192", "14 ok");
    assertEquals(5, client.value(0, BLOCK));
    send(PagerOp.ZERO, 15, 0, BLOCK);
    send(PagerOp.STATUS, 16, 0, 2 * BLOCK);
    client.hears("15 ok", "16 ok 4096 -4096");
    reads(0, 0);
  }

  @Test
  void shouldAnswerEachOfSeveralWritesOnce() {
    connect();
    for (int i = 0; i < 4; i++) {
      client.fill(i * BLOCK, BLOCK, i + 1);
      int from = i * BLOCK;
      send(PagerOp.WRITE, i, (3 - i) * (long) BLOCK, BLOCK, request -> request.clientAddress += from, PagerRequest.BYTES);
    }
    client.hears("0 ok", "1 ok", "2 ok", "3 ok");
    for (int i = 0; i < 4; i++) {
      reads((long) i * BLOCK, 4 - i);
    }
  }

  @Test
  void shouldTakeAShortWriteWithItsData() {
    connect();
    client.fill(0, 24, 5);
    send(PagerOp.WRITE, 7, 64, 24, request -> request.isInline = true, PagerRequest.BYTES + 24);
    client.hears("7 ok");
    send(PagerOp.READ, 9, 0, 96);
    client.hears("9 ok");
    assertEquals(List.of(0, 5, 0), List.of(client.value(0, 64), client.value(64, 24), client.value(88, 8)));
    send(PagerOp.STATUS, 8, 0, 2 * BLOCK);
    client.hears("8 ok 4096 -4096");
  }

  @Test
  void shouldAnswerWhatCannotBeWithAnErrorAndGoOn() {
    connect();
    send(PagerOp.READ, 1, MIB, BLOCK);
    send(PagerOp.WRITE, 2, MIB - 1, 2);
    send(PagerOp.TRIM, 3, 0, Long.MAX_VALUE);
    send(PagerOp.READ, 4, 0, 16_385);
    client.hears("1 error " + Errno.EINVAL, "2 error " + Errno.EINVAL, "3 error " + Errno.EINVAL, "4 error " + Errno.EOVERFLOW);
    write(MIB - BLOCK, 5);
    reads(MIB - BLOCK, 5);
  }

  @Test
  void shouldAnswerAsManyAtATimeAsThereAreCreditsAndEndTheConnectionOfWhoTakesMore() {
    connect();
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 4; i++) {
        send(PagerOp.WRITE, i, 0, BLOCK);
      }
      client.hears("0 ok", "1 ok", "2 ok", "3 ok");
    }
    for (int i = 0; i < 5; i++) {
      send(PagerOp.WRITE, i, 0, BLOCK);
    }
    client.hears("disconnected");
    lendable(4 * MIB);
  }

  @Test
  void shouldEndTheConnectionOfWhoBreaksTheProtocolAndServeTheOthers() {
    ScriptedPeer other = client;
    connect();
    client = peer("d");
    client.connect("server", wish(MIB));
    client.hears("granted area 2, 4 credits, inline 64");
    send(PagerOp.TRIM, 1, 0, BLOCK);
    client.hears("1 ok");
    send(PagerOp.TRIM, 2, 0, BLOCK, request -> { }, PagerRequest.BYTES - 1);
    client.hears("disconnected");
    client = other;
    write(0, 5);
    lendable(3 * MIB);
  }

  // ---- the end of a connection

  @Test
  void shouldFreeTheAreaOfWhoSaysGoodBye() {
    connect();
    write(0, 5);
    client.connection.disconnect();
    lendable(4 * MIB);
    refused(wish(Purpose.RESUME, client.grant.area(), MIB), "UNKNOWN_AREA, free 4194304");
    client.connect("server", wish(MIB));
    client.hears("granted area 2, 4 credits, inline 64");
    reads(0, 0);
  }

  @Test
  void shouldGiveAnAreaBackToWhoConnectsAgainAndEndTheFormerConnection() {
    connect();
    write(0, 5);
    AreaName area = client.grant.area();
    client.connect("server", wish(Purpose.RESUME, area, MIB));
    client.hears("disconnected", "granted area 1, 4 credits, inline 64");
    assertEquals(area, client.grant.area());
    reads(0, 5);
    refused(wish(Purpose.RESUME, new AreaName(area.incarnation() + 1, 1), MIB), "UNKNOWN_AREA, free 3145728");
    refused(wish(Purpose.RESUME, new AreaName(area.incarnation(), 2), MIB), "UNKNOWN_AREA, free 3145728");
    refused(wish(Purpose.RESUME, area, 2 * MIB), "UNKNOWN_AREA, free 3145728");
    ScriptedPeer thief = peer("d");
    thief.connect("server", wish(Purpose.RESUME, area, MIB));
    thief.hears("refused UNKNOWN_AREA, free 3145728");
  }

  @Test
  void shouldNotTakeTheGoodByeOfAFormerConnectionForThatOfTheNext() {
    connect();
    write(0, 5);
    fabric.system().pause("/user/server/memory-server-pager");
    Connection former = client.connection;
    client.connect("server", wish(Purpose.RESUME, client.grant.area(), MIB));
    client.hears();
    former.disconnect();
    client.hears();
    fabric.system().resume("/user/server/memory-server-pager");
    client.hears("granted area 1, 4 credits, inline 64");
    reads(0, 5);
  }

  @Test
  void shouldFreeAnAreaThatIsGivenBackByName() {
    connect();
    ScriptedPeer thief = peer("d");
    thief.connect("server", wish(Purpose.RELEASE, client.grant.area(), MIB));
    thief.hears("refused RELEASED, free 3145728");
    AreaName area = client.grant.area();
    client.connect("server", wish(Purpose.RELEASE, area, MIB));
    client.hears("disconnected", "refused RELEASED, free 4194304");
    lendable(4 * MIB);
  }

  /** The server's queue pair fails, as its client names memory that is not there. */
  private void loseConnection() {
    connect();
    write(0, 5);
    send(PagerOp.WRITE, 2, 0, BLOCK, request -> request.clientAddress += client.memory.byteSize(), PagerRequest.BYTES);
    client.hears("disconnected");
  }

  @Test
  void shouldKeepTheAreaOfALostConnectionForAWhile() {
    loseConnection();
    lendable(3 * MIB);
    client.connect("server", wish(Purpose.RESUME, client.grant.area(), MIB));
    client.hears("granted area 1, 4 credits, inline 64");
    client.pass(61 * SECOND);
    reads(0, 5);
  }

  @Test
  void shouldGiveUpTheAreaOfALostConnectionAfterThat() {
    loseConnection();
    client.pass(61 * SECOND);
    lendable(4 * MIB);
    refused(wish(Purpose.RESUME, client.grant.area(), MIB), "UNKNOWN_AREA, free 4194304");
  }

  @Test
  void shouldGiveUpTheAreasOfANodeThatIsLost() {
    connect();
    fabric.loseNode("c");
    client.pass(SECOND);
    lendable(4 * MIB);
  }

  @Test
  void shouldSayGoodByeToItsClientsWhenItStops() {
    connect();
    server.stop();
    client.hears("disconnected");
    refused(wish(MIB), "INVALID_SERVICE_ID");
  }
}
