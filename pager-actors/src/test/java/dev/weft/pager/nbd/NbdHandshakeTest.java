package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
import dev.weft.pager.RamBlockDevice;
import dev.weft.pager.nbd.NbdTestClient.OptionReply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class NbdHandshakeTest {
  private static final byte[] NOTHING = new byte[0];
  private static final int FLAGS = 0x1 | 0x4 | 0x8 | 0x20 | 0x40 | 0x100 | 0x400 | 0x800;

  private RamBlockDevice device;
  private NbdServer server;
  private NbdTestClient client;

  @BeforeEach
  void start() throws Exception {
    device = new RamBlockDevice(1 << 20);
    server = NbdServing.serve("weft.pager.nbd { options-max = 20, connections-max = 3 }", device);
    client = new NbdTestClient(server.uris().getFirst());
  }

  @AfterEach
  void stop() throws Exception {
    client.close();
    server.close();
    device.close();
  }

  @Test
  void shouldDescribeTheExportWithZeroesWhenAnOldClientNamesIt() throws Exception {
    client.greet(NbdTestClient.C_FIXED).sendOption(1, "second".getBytes(StandardCharsets.UTF_8));
    assertEquals(1 << 20, client.in.readLong());
    assertEquals(FLAGS, client.in.readUnsignedShort());
    assertArrayEquals(new byte[124], client.in.readNBytes(124));
    assertEquals(0, client.write(0, new byte[] {1, 2, 3}));
  }

  @Test
  void shouldSendNoZeroesWhenTheClientWantsNone() throws Exception {
    client.greet().sendOption(1, NOTHING);
    client.in.readNBytes(10);
    assertArrayEquals(new byte[4], client.read(0, 4));
  }

  @Test
  void shouldCloseWhenAnOldClientNamesAnUnknownExport() throws Exception {
    client.greet().sendOption(1, new byte[] {'x'});
    assertTrue(client.isClosedByServer());
  }

  @Test
  void shouldCloseWhenTheClientSetsUnknownFlags() throws Exception {
    client.greet(0x7);
    assertTrue(client.isClosedByServer());
  }

  @Test
  void shouldListEveryExport() throws Exception {
    List<OptionReply> replies = client.greet().option(3, NOTHING);
    assertEquals(4, replies.size());
    assertArrayEquals("\0\0\0\0the default".getBytes(StandardCharsets.UTF_8), replies.get(0).data());
    assertArrayEquals("\0\0\0\6second".getBytes(StandardCharsets.UTF_8), replies.get(1).data());
    assertError(Nbd.REP_ERR_INVALID, client.option(3, new byte[1]));
  }

  @Test
  void shouldShowAddedAndRemovedExportsToNewConnectionsAndServeOldOnesOn() throws Exception {
    try (RamBlockDevice more = new RamBlockDevice(2 << 20)) {
      client.greet();
      server.addExport(new NbdExport("third", "late", more, false));
      var twice = assertThrows(IllegalArgumentException.class, () -> server.addExport(new NbdExport("third", "", device, false)));
      assertTrue(twice.getMessage().contains("'third'"), twice.getMessage());
      assertError(Nbd.REP_ERR_UNKNOWN, client.option(7, NbdTestClient.infoData("third")));
      try (NbdTestClient user = new NbdTestClient(server.uris().getFirst())) {
        List<OptionReply> listed = user.greet().option(3, NOTHING);
        assertEquals(5, listed.size());
        assertArrayEquals("\0\0\0\5thirdlate".getBytes(StandardCharsets.UTF_8), listed.get(3).data());
        List<OptionReply> chosen = user.option(7, NbdTestClient.infoData("third"));
        assertEquals(Nbd.REP_ACK, chosen.getLast().type());
        assertEquals(2 << 20, chosen.getFirst().bytes().getLong(2));
        server.removeExport("third");
        assertEquals(0, user.write(5, new byte[] {9, 8}));
        assertArrayEquals(new byte[] {9, 8}, user.read(5, 2));
        try (NbdTestClient late = new NbdTestClient(server.uris().getFirst())) {
          assertEquals(4, late.greet().option(3, NOTHING).size());
          assertError(Nbd.REP_ERR_UNKNOWN, late.option(7, NbdTestClient.infoData("third")));
          assertEquals(Nbd.REP_ACK, late.option(7, NbdTestClient.infoData("second")).getLast().type());
        }
      }
      Waits.seen("the late client's place to be free", server::connectionCount, count -> count == 1);
      server.addExport(new NbdExport("third", "again", more, true));
    }
  }

  @Test
  void shouldAcknowledgeAndCloseWhenTheClientAborts() throws Exception {
    assertEquals(Nbd.REP_ACK, client.greet().option(2, NOTHING).getFirst().type());
    assertTrue(client.isClosedByServer());
  }

  @Test
  void shouldGiveEveryInformationThatIsAskedFor() throws Exception {
    List<OptionReply> replies = client.greet().option(6, NbdTestClient.infoData("frozen", 0, 1, 2, 3, 77));
    assertEquals(5, replies.size());
    ByteBuffer export = replies.get(0).bytes();
    assertEquals(0, export.getShort());
    assertEquals(1 << 20, export.getLong());
    assertEquals(0x1 | 0x2 | 0x4 | 0x8 | 0x100 | 0x400, export.getShort());
    assertArrayEquals("\0\1frozen".getBytes(StandardCharsets.UTF_8), replies.get(1).data());
    assertArrayEquals("\0\2read only".getBytes(StandardCharsets.UTF_8), replies.get(2).data());
    ByteBuffer sizes = replies.get(3).bytes();
    assertEquals(3, sizes.getShort());
    assertEquals(1, sizes.getInt());
    assertEquals(4096, sizes.getInt());
    assertEquals(32 << 20, sizes.getInt());
    assertError(Nbd.REP_ERR_UNKNOWN, client.option(7, NbdTestClient.infoData("none")));
    assertError(Nbd.REP_ERR_INVALID, client.option(7, new byte[] {0, 0, 0, 9, 1}));
    assertEquals(Nbd.REP_ACK, client.option(7, NbdTestClient.infoData("")).getLast().type());
    assertEquals(0, client.command(Nbd.CMD_FLUSH, 0, 0, 0));
  }

  @Test
  void shouldOfferDontFragmentOnlyAfterStructuredReplies() throws Exception {
    client.greet();
    assertError(Nbd.REP_ERR_INVALID, client.option(8, new byte[2]));
    assertEquals(Nbd.REP_ACK, client.option(8, NOTHING).getFirst().type());
    ByteBuffer export = client.option(7, NbdTestClient.infoData("")).getFirst().bytes();
    assertEquals(FLAGS | 0x80, export.getShort(10));
  }

  @Test
  void shouldSelectBaseAllocation() throws Exception {
    client.greet();
    assertError(Nbd.REP_ERR_INVALID, client.option(10, NbdTestClient.contextData("", "base:allocation")));
    client.option(8, NOTHING);
    assertEquals(2, client.option(9, NbdTestClient.contextData("")).size());
    assertEquals(2, client.option(9, NbdTestClient.contextData("", "base:")).size());
    assertEquals(1, client.option(10, NbdTestClient.contextData("", "base:")).size());
    assertEquals(1, client.option(10, NbdTestClient.contextData("", "other:thing")).size());
    assertError(Nbd.REP_ERR_UNKNOWN, client.option(10, NbdTestClient.contextData("no", "base:allocation")));
    assertError(Nbd.REP_ERR_INVALID, client.option(10, NbdTestClient.contextData("", "colonless")));
    OptionReply context = client.option(10, NbdTestClient.contextData("", "other:thing", "base:allocation")).getFirst();
    assertArrayEquals("\0\0\0\1base:allocation".getBytes(StandardCharsets.UTF_8), context.data());
  }

  @Test
  void shouldRefuseTlsUnknownAndOversizedOptionsAndGoOn() throws Exception {
    client.greet();
    assertError(Nbd.REP_ERR_POLICY, client.option(5, NOTHING));
    assertError(Nbd.REP_ERR_INVALID, client.option(5, new byte[3]));
    assertError(Nbd.REP_ERR_UNSUP, client.option(11, NOTHING));
    assertError(Nbd.REP_ERR_UNSUP, client.option(-5, new byte[100]));
    assertError(Nbd.REP_ERR_TOO_BIG, client.option(3, new byte[70_000]));
    assertEquals(4, client.option(3, NOTHING).size());
  }

  @Test
  void shouldCloseWhenTheClientSendsOptionsWithoutEnd() throws Exception {
    client.greet();
    for (int i = 0; i < 20; i++) {
      client.option(99, NOTHING);
    }
    assertTrue(client.isClosedByServer());
  }

  @Test
  void shouldTurnAwayTheConnectionAboveTheBound() throws Exception {
    client.greet();
    try (NbdTestClient b = new NbdTestClient(server.uris().getFirst()); NbdTestClient c = new NbdTestClient(server.uris().getFirst())) {
      b.greet();
      c.greet();
      try (NbdTestClient d = new NbdTestClient(server.uris().getFirst())) {
        assertTrue(d.isClosedByServer());
      }
    }
    assertEquals(1, server.refusedCount());
  }

  @Test
  void shouldRefuseToServeOtherHostsUnlessAllowed() {
    var refused = assertThrows(IllegalArgumentException.class,
        () -> NbdServing.serve("weft.pager.nbd.listen = [\"0.0.0.0:0\"]", device));
    assertTrue(refused.getMessage().contains("allow-non-loopback"));
    assertThrows(IllegalArgumentException.class, () -> NbdServing.serve("weft.pager.nbd.listen = [\"127.0.0.1\"]", device));
  }

  private static void assertError(int type, List<OptionReply> replies) {
    assertEquals(type, replies.getLast().type());
  }
}
