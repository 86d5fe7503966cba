package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.ScriptedPeer;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.Handshake.AreaName;
import dev.weft.pager.wire.Handshake.Grant;
import dev.weft.pager.wire.PagerRequest;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The protocol of a pager client, message by message: its memory server is scripted, over real queue pairs in virtual time. The client
 * wants 1 MiB and three credits, waits a second for a reply, connects again at once and then every 100 ms, and lets requests wait ten
 * seconds for that.
 */
@Tag("simulation")
class PagerClientProtocolTest {
  private static final long MIB = 1 << 20;
  private static final long MS = 1_000_000;
  private static final int BLOCK = 4096;
  private static final PagerSettings SETTINGS = PagerSettings.from(ConfigFactory.parseString("""
      weft.pager.client {
        pool-size = 512 KiB, credits = 3, request-timeout = 1 s, reconnect-interval = 100 ms, reconnect-wait = 10 s, inline-write = 64
      }""").withFallback(ConfigFactory.load()));

  private final VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE);
  private final ScriptedPeer server = new ScriptedPeer(fabric, "s");
  /** What the device's consumer is told, in its order. */
  private final List<String> told = new ArrayList<>();
  private PagerDevice device;

  @AfterEach
  void allIsSaid() {
    server.hears();
    told();
    fabric.close();
  }

  private void told(String... expected) {
    List<String> all = List.copyOf(told);
    told.clear();
    assertEquals(List.of(expected), all);
  }

  /** The client asks for its area. */
  private void ask() {
    ask(new ServerSpec("s", "pager", MIB));
    server.hears("c wants NEW of 1048576, 3 credits");
    told();
  }

  private void ask(ServerSpec... servers) {
    server.listen();
    Node node = fabric.addNode("c");
    PagerClient.open(node, "c", List.of(servers), SETTINGS, null, new PagerClient.OpenListener() {
      @Override
      public void onOpen(PagerDevice opened) {
        device = opened;
        told.add("open");
      }

      @Override
      public void onFailed(String reason) {
        told.add(reason);
      }
    });
  }

  private void open() {
    ask();
    server.grant(2, 64, 1);
    server.hears("ready");
    told("open");
  }

  private void done(String what, int errno) {
    told.add(what + (errno == Errno.OK ? " ok" : " error " + errno));
  }

  private void trim(String what, int block) {
    device.trim((long) block * BLOCK, BLOCK, errno -> done(what, errno));
  }

  private void write(String what, long offset, int length, int value) {
    BlockDevice.Buffer buffer = device.tryAcquire(length, null);
    buffer.segment().fill((byte) value);
    device.write(offset, buffer, false, errno -> {
      done(what, errno);
      buffer.release();
    });
  }

  private BlockDevice.Buffer read(String what, long offset) {
    BlockDevice.Buffer buffer = device.tryAcquire(BLOCK, null);
    buffer.segment().fill((byte) 99);
    device.read(offset, buffer, errno -> done(what, errno));
    return buffer;
  }

  /** The server has kept something for the client. */
  private void keepSomething() {
    trim("kept", 0);
    server.hears("TRIM 0 of 4096 at 0");
    server.answer(Errno.OK);
    server.hears();
    told("kept ok");
  }

  private void breakConnection() {
    device.dropConnection(0);
  }

  /** The client has asked for its area again, and gets it back. */
  private void giveBack() {
    server.grant(2, 64, 1);
    server.hears("ready", "FLUSH 0 of 1 at 0");
  }

  // ---- the handshake

  @Test
  void shouldOpenTheDeviceWhenItIsGrantedAnArea() {
    open();
    assertEquals(MIB, device.sizeBytes());
  }

  @ParameterizedTest
  @EnumSource(Handshake.Refusal.class)
  void shouldSayWhyItIsRefused(Handshake.Refusal reason) {
    ask();
    server.deny(reason);
    server.hears();
    told("memory server pager of node s: " + (reason == Handshake.Refusal.UNKNOWN_AREA
        ? "it does not hold the area any more: it has started anew, or given it up" : "refused: " + reason + ", it could lend 4096 bytes"));
    server.pass(1000 * MS);
  }

  @Test
  void shouldSayThatThereIsNoServer() {
    ask(new ServerSpec("nobody", "pager", MIB));
    server.hears();
    told("memory server pager of node nobody: connection refused: UNKNOWN_NODE");
  }

  @Test
  void shouldSayThatItIsRefusedByWhoSaysNoMore() {
    ask();
    server.wishes.removeFirst().reject(new byte[0]);
    server.hears();
    told("memory server pager of node s: connection refused: CONSUMER");
  }

  @Test
  void shouldNotTakeAGrantThatIsNone() {
    ask();
    server.grant(new byte[3]);
    server.hears("ready", "disconnected");
    told("memory server pager of node s: it answered without a grant of credits");
  }

  @Test
  void shouldNotTakeAGrantWithoutCreditsOrAnArea() {
    ask();
    server.grant(new Grant(2, 64, AreaName.NONE, MailboxAddress.NONE).encode());
    server.hears("ready", "disconnected");
    told("memory server pager of node s: it offers another area than the one that was lost");
  }

  // ---- requests

  @Test
  void shouldSayThatAReadIsDoneWhenItIsAnswered() {
    open();
    BlockDevice.Buffer buffer = read("read", 2 * BLOCK);
    server.hears("READ 0 of 4096 at 8192");
    server.fill(0, BLOCK, 5);
    server.move(server.requests.getFirst(), true);
    server.hears();
    told();
    server.answer(Errno.OK);
    server.hears();
    told("read ok");
    assertEquals(5, buffer.segment().get(ValueLayout.JAVA_BYTE, 0));
    assertEquals(5, buffer.segment().get(ValueLayout.JAVA_BYTE, BLOCK - 1));
    buffer.release();
  }

  @Test
  void shouldLetTheServerReadWhatIsWritten() {
    open();
    write("write", BLOCK, BLOCK, 5);
    server.hears("WRITE 0 of 4096 at 4096");
    server.move(server.requests.getFirst(), false);
    server.hears("read SUCCESS");
    assertEquals(5, server.value(0, BLOCK));
    told();
    server.answer(Errno.OK);
    server.hears();
    told("write ok");
  }

  @Test
  void shouldSendAShortWriteWithItsDataAndALongerOneWithout() {
    open();
    write("short", 0, 64, 5);
    write("long", 64, 65, 6);
    server.hears("WRITE 0 of 64 at 0 with 5", "WRITE 1 of 65 at 64");
    server.answer(Errno.OK);
    server.answer(Errno.OK);
    server.hears();
    told("short ok", "long ok");
  }

  @Test
  void shouldSendInOrderWhatItHasCreditsForAndTheRestAsAnswersCome() {
    open();
    for (int block = 0; block < 5; block++) {
      trim("trim " + block, block);
    }
    server.hears("TRIM 0 of 4096 at 0", "TRIM 1 of 4096 at 4096");
    PagerRequest first = server.next();
    server.answer(Errno.OK); // The second.
    server.hears("TRIM 1 of 4096 at 8192");
    told("trim 1 ok");
    server.answerTo(first.id, Errno.OK);
    server.answer(Errno.OK);
    server.hears("TRIM 0 of 4096 at 12288", "TRIM 1 of 4096 at 16384");
    told("trim 0 ok", "trim 2 ok");
    server.answer(Errno.OK);
    server.answer(Errno.OK);
    server.hears();
    told("trim 3 ok", "trim 4 ok");
  }

  @Test
  void shouldPassOnAnErrorThatIsAnswered() {
    open();
    trim("trim", 0);
    server.hears("TRIM 0 of 4096 at 0");
    server.answer(Errno.EINVAL);
    server.hears();
    told("trim error " + Errno.EINVAL);
  }

  @Test
  void shouldAskOnForTheExtentsThatAnAnswerHadNoRoomFor() {
    open();
    device.blockStatus(0, 3 * BLOCK, (offset, length, allocated, zero) -> told.add(offset + "+" + length + " " + allocated),
        errno -> done("status", errno));
    server.hears("STATUS 0 of 12288 at 0");
    server.answer(Errno.OK, BLOCK, -BLOCK);
    server.hears("STATUS 0 of 4096 at 8192");
    told("0+4096 true", "4096+4096 false");
    server.answer(Errno.OK, BLOCK);
    server.hears();
    told("8192+4096 true", "status ok");
  }

  @Test
  void shouldAskAServerThatKeepsSomethingForAFlushAndNoOther() {
    open();
    device.flush(errno -> done("flush", errno));
    server.hears();
    told("flush ok");
    keepSomething();
    device.flush(errno -> done("flush", errno));
    server.hears("FLUSH 0 of 1 at 0");
    told();
    server.answer(Errno.OK);
    server.hears();
    told("flush ok");
  }

  @Test
  void shouldHaveNothingMoreToDoWithAServerThatAnswersTwice() {
    open();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    PagerRequest request = server.next();
    server.answerTo(request.id, Errno.OK);
    server.answerTo(request.id, Errno.OK);
    server.hears("disconnected");
    told("first ok");
    trim("second", 0);
    server.hears();
    told("second error " + Errno.EIO);
    server.pass(11_000 * MS);
  }

  @Test
  void shouldAskEachServerForItsPartOfARequest() {
    ScriptedPeer second = new ScriptedPeer(fabric, "t");
    second.listen();
    ask(new ServerSpec("s", "pager", MIB), new ServerSpec("t", "pager", MIB));
    server.hears("c wants NEW of 1048576, 3 credits");
    second.hears("c wants NEW of 1048576, 3 credits");
    server.grant(2, 64, 1);
    server.hears("ready");
    told();
    second.grant(2, 64, 1);
    second.hears("ready");
    told("open");
    device.trim(MIB - BLOCK, 3 * BLOCK, errno -> done("trim", errno));
    server.hears("TRIM 0 of 4096 at 1044480");
    second.hears("TRIM 0 of 8192 at 0");
    second.answer(Errno.OK);
    second.hears();
    told();
    server.answer(Errno.OK);
    server.hears();
    told("trim ok");
  }

  // ---- the end of a connection

  @Test
  void shouldAskForItsAreaAgainTryTheConnectionAndSendAgainInOrderWhatWasNotAnswered() {
    open();
    trim("first", 0);
    trim("second", 1);
    trim("third", 2);
    server.hears("TRIM 0 of 4096 at 0", "TRIM 1 of 4096 at 4096");
    server.requests.clear();
    breakConnection();
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    giveBack();
    told();
    server.answer(Errno.OK);
    server.hears("TRIM 0 of 4096 at 0", "TRIM 1 of 4096 at 4096");
    server.answer(Errno.OK);
    server.hears("TRIM 0 of 4096 at 8192");
    server.answer(Errno.OK);
    server.answer(Errno.OK);
    server.hears();
    told("first ok", "second ok", "third ok");
  }

  @Test
  void shouldNotSendAgainWhatMayUndoAnotherChange() {
    open();
    trim("first", 0);
    trim("second", 0);
    trim("third", 1);
    server.hears("TRIM 0 of 4096 at 0", "TRIM 1 of 4096 at 0");
    server.requests.clear();
    breakConnection();
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    assertEquals(List.of("first error 5", "second error 5"), told.stream().sorted().toList());
    told.clear();
    giveBack();
    server.answer(Errno.OK);
    server.hears("TRIM 0 of 4096 at 4096");
    server.answer(Errno.OK);
    server.hears();
    told("third ok");
  }

  @Test
  void shouldConnectAgainWhenTheServerSaysGoodBye() {
    open();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    server.requests.clear();
    server.connection.disconnect();
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    giveBack();
    server.answer(Errno.OK);
    server.hears("TRIM 0 of 4096 at 0");
    server.answer(Errno.OK);
    server.hears();
    told("first ok");
  }

  @Test
  void shouldConnectAgainWhenNoReplyComesInTime() {
    open();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    server.pass(990 * MS);
    server.hears();
    server.pass(260 * MS); // It looks four times in a second.
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    told();
    server.requests.clear();
    giveBack();
    server.answer(Errno.OK);
    server.hears("TRIM 0 of 4096 at 0");
    server.answer(Errno.OK);
    server.hears();
    told("first ok");
  }

  @Test
  void shouldTryAgainAfterAWhileUntilItsRequestsHaveWaitedLongEnough() {
    open();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    breakConnection();
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    server.deny(Handshake.Refusal.TOO_MANY_CLIENTS);
    server.hears();
    server.pass(97 * MS);
    server.hears();
    server.pass(2 * MS);
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    server.pass(9_800 * MS);
    told();
    server.pass(200 * MS);
    told("first error " + Errno.EIO);
    trim("second", 0);
    server.heard(); // It goes on asking.
    told("second error " + Errno.EIO);
  }

  @Test
  void shouldGiveUpAnAreaThatItsServerDoesNotHoldAnyMoreAndTellOfItOnce() {
    open();
    keepSomething();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    breakConnection();
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    server.deny(Handshake.Refusal.UNKNOWN_AREA);
    server.hears();
    told("first error " + Errno.EIO);
    device.flush(errno -> done("flush", errno));
    device.flush(errno -> done("flush", errno));
    server.hears();
    told("flush error " + Errno.EIO, "flush ok");
    server.pass(11_000 * MS);
  }

  @Test
  void shouldNotTakeAnotherAreaForItsOwn() {
    open();
    breakConnection();
    server.hears("c wants RESUME 1 of 1048576, 3 credits");
    server.grant(2, 64, 2);
    server.hears("ready", "disconnected");
    trim("first", 0);
    server.hears();
    told("first error " + Errno.EIO);
  }

  @Test
  void shouldGiveUpTheAreaOfANodeThatIsLost() {
    open();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    fabric.loseNode("s");
    server.hears();
    told("first error " + Errno.EIO);
    assertEquals("its node was lost", device.areaStatus().getFirst().why());
  }

  @Test
  void shouldSayGoodByeGiveTheAreaBackAndEndItsRequestsWhenItIsClosed() {
    open();
    trim("first", 0);
    server.hears("TRIM 0 of 4096 at 0");
    device.close();
    server.hears("disconnected", "c wants RELEASE 1 of 1048576, 1 credits");
    told("first error " + Errno.ESHUTDOWN);
  }
}
