package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MailboxAddress;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.pager.Errno;
import dev.weft.pager.wire.Handshake;
import dev.weft.pager.wire.PagerOp;
import dev.weft.pager.wire.PagerReply;
import dev.weft.pager.wire.PagerRequest;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients and servers against peers that do not keep to the protocol. */
@Tag("simulation")
@Timeout(value = 20, unit = TimeUnit.SECONDS)
class RoguePeerTest {
  private static final ChannelSettings CHANNEL = new ChannelSettings(256, 64, 64, 0);

  /** A peer that answers only what the test tells it to. */
  private static final class Rogue implements MessageHandler, ConnectionObserver {
    final MessageEndpoint endpoint;
    final QueuePairChannel channel;
    final List<PagerRequest> requests = new ArrayList<>();
    final List<Integer> statuses = new ArrayList<>();
    final List<String> ends = new ArrayList<>();
    boolean established;

    Rogue(Node node) {
      endpoint = new MessageEndpoint(node.hca(), node.hca().allocPd(), CHANNEL.cqEntries(), ReceiveContext.ISR, false, this,
          () -> endpoint().service(1000));
      channel = endpoint.open(CHANNEL);
      endpoint.arm();
    }

    private MessageEndpoint endpoint() {
      return endpoint;
    }

    void send(Consumer<PagerRequest> edit, int size) {
      PagerRequest request = new PagerRequest();
      request.op = PagerOp.TRIM;
      request.length = 4096;
      edit.accept(request);
      int slot = channel.reserve();
      request.encode(channel.buffers(), channel.offset(slot));
      channel.send(slot, size, false);
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      PagerRequest request = new PagerRequest();
      PagerReply reply = new PagerReply(256);
      if (length == PagerRequest.BYTES && request.decode(buffer, offset, length) == null) {
        requests.add(request);
      } else if (reply.decode(buffer, offset, length) == null) {
        statuses.add(reply.status);
      }
    }

    @Override
    public void onCompleted(MessageChannel from, long token, WcStatus status) {}

    @Override
    public void onSendRoom(MessageChannel from) {}

    @Override
    public void onFailed(MessageChannel from, WcStatus status, int vendorErr) {
      ends.add("failed");
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      established = true;
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      Handshake.Denial denial = Handshake.Denial.decode(privateData);
      ends.add("rejected " + (denial == null ? reason : denial.reason()));
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {
      ends.add("disconnected");
    }
  }

  private static Rogue rogueClient(SimulatedPager pager, String name, byte[] wish) {
    Node node = pager.fabric.addNode(name);
    Rogue rogue = new Rogue(node);
    node.cm().connect("server0", "pager", rogue.channel.qp(), ConnectionOptions.DEFAULT, wish, rogue);
    rogue.channel.postReceives();
    pager.fabric.system().runUntil(() -> rogue.established || !rogue.ends.isEmpty(), SimulatedPager.SECOND);
    return rogue;
  }

  private static byte[] wish(int credits) {
    return new Handshake.Wish(1 << 20, credits, 131_072, 4096, MailboxAddress.NONE).encode();
  }

  private static SimulatedPager oneServer() {
    return new SimulatedPager(1, LinkFaults.NONE, 1,
        SimulatedPager.serverSettings("memory = 4 MiB, clients-max = 2, credits = 4, inline-write = 64"));
  }

  @Test
  void shouldRefuseAClientWithForeignPrivateData() {
    try (SimulatedPager pager = oneServer()) {
      assertEquals(List.of("rejected BAD_REQUEST"), rogueClient(pager, "r1", new byte[] {1, 2, 3}).ends);
      assertEquals(List.of("rejected REQUEST_TOO_LONG"),
          rogueClient(pager, "r2", new Handshake.Wish(4096, 1, 1 << 20, 0, MailboxAddress.NONE).encode()).ends);
      rogueClient(pager, "r3", wish(4));
      rogueClient(pager, "r4", wish(4));
      assertEquals(List.of("rejected TOO_MANY_CLIENTS"), rogueClient(pager, "r5", wish(4)).ends);
      assertEquals(3, pager.inspect(pager.servers.getFirst()).refused());
    }
  }

  @Test
  void shouldAnswerRequestsOutsideTheAreaWithAnError() {
    try (SimulatedPager pager = oneServer()) {
      Rogue rogue = rogueClient(pager, "r", wish(4));
      rogue.send(r -> r.areaOffset = 1 << 20, 40);
      rogue.send(r -> r.areaOffset = Long.MAX_VALUE, 40);
      rogue.send(r -> r.length = Long.MAX_VALUE, 40);
      rogue.send(r -> {
        r.op = PagerOp.WRITE;
        r.length = 1 << 19;
      }, 40);
      pager.fabric.system().runUntil(() -> rogue.statuses.size() == 4, SimulatedPager.SECOND);
      rogue.send(r -> {
        r.op = PagerOp.WRITE;
        r.isInline = true;
        r.areaOffset = (1 << 20) - 63;
        r.length = 64;
      }, 104);
      pager.fabric.system().runUntil(() -> rogue.statuses.size() == 5, SimulatedPager.SECOND);
      assertEquals(List.of(Errno.EINVAL, Errno.EINVAL, Errno.EINVAL, Errno.EOVERFLOW, Errno.EINVAL), rogue.statuses);
      assertEquals(List.of(), rogue.ends);
    }
  }

  @Test
  void shouldDropAClientThatBreaksTheProtocolAndFreeItsArea() {
    List<Consumer<Rogue>> breaches = List.of(
        rogue -> rogue.send(r -> { }, 39),
        rogue -> rogue.send(r -> r.length = 0, 40),
        rogue -> rogue.send(r -> r.areaOffset = -1, 40),
        rogue -> rogue.send(r -> r.isInline = true, 40), // of a trim
        rogue -> rogue.send(r -> {
          r.op = PagerOp.WRITE;
          r.length = 24;
        }, 64), // data without the flag
        rogue -> rogue.send(r -> {
          r.op = PagerOp.WRITE;
          r.isInline = true;
          r.length = 25;
        }, 64), // not all of it
        rogue -> rogue.send(r -> {
          r.op = PagerOp.WRITE;
          r.isInline = true;
          r.length = 65;
        }, 40 + 65), // more than the server takes
        rogue -> {
          for (int i = 0; i < 5; i++) { // five outstanding with four credits: reads of a key that exists nowhere
            rogue.send(r -> {
              r.op = PagerOp.WRITE;
              r.rkey = 1;
            }, 40);
          }
        });
    for (int i = 0; i < breaches.size(); i++) {
      try (SimulatedPager pager = oneServer()) {
        Rogue rogue = rogueClient(pager, "r", wish(4));
        breaches.get(i).accept(rogue);
        assertTrue(pager.fabric.system().runUntil(() -> rogue.ends.contains("disconnected"), SimulatedPager.SECOND), "breach " + i);
        pager.fabric.system().runFor(10_000_000);
        assertEquals(4 << 20, pager.inspect(pager.servers.getFirst()).freeBytes(), "breach " + i);
        assertEquals(0, pager.inspect(pager.servers.getFirst()).rdmaOutstanding(), "breach " + i);
      }
    }
  }

  private static PagerDevice openAt(SimulatedPager pager, Rogue[] rogue) {
    Node node = pager.fabric.addNode("silent");
    pager.serverNodes.set(0, "silent");
    node.cm().listen("pager", request -> {
      rogue[0] = new Rogue(node);
      request.accept(rogue[0].channel.qp(), ConnectionOptions.DEFAULT,
          new Handshake.Grant(2, 4096, new Handshake.AreaName(1, 1), MailboxAddress.NONE).encode(), rogue[0]);
      rogue[0].channel.postReceives();
    });
    List<String> refused = new ArrayList<>();
    PagerDevice device = pager.open(pager.fabric.addNode("c"), "c", 1 << 20,
        SimulatedPager.clientSettings("request-timeout = 100 ms, reconnect-wait = 0 s"), refused);
    assertNotNull(device, refused::toString);
    return device;
  }

  @Test
  void shouldFailRequestsWhenAServerTakesThemAndNeverAnswers() {
    try (SimulatedPager pager = oneServer()) {
      Rogue[] silent = new Rogue[1];
      PagerDevice device = openAt(pager, silent);
      List<Integer> done = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        device.trim(0, 4096, done::add);
      }
      long startNs = pager.fabric.system().nowNs();
      assertTrue(pager.fabric.system().runUntil(() -> done.size() == 5, SimulatedPager.SECOND));
      assertEquals(List.of(Errno.EIO, Errno.EIO, Errno.EIO, Errno.EIO, Errno.EIO), done);
      assertEquals(2, silent[0].requests.size(), "no more than the credits may have been sent");
      long tookNs = pager.fabric.system().nowNs() - startNs;
      assertTrue(tookNs >= 100_000_000L && tookNs <= 130_000_000L, "took " + tookNs + " ns");
      device.trim(0, 4096, done::add);
      pager.fabric.system().runUntil(() -> done.size() == 6, SimulatedPager.SECOND);
      assertEquals(6, done.size());
    }
  }

  @Test
  void shouldDropAServerThatAnswersWhatWasNotAsked() {
    try (SimulatedPager pager = oneServer()) {
      Rogue[] rogue = new Rogue[1];
      PagerDevice device = openAt(pager, rogue);
      List<Integer> done = new ArrayList<>();
      device.trim(0, 4096, done::add);
      pager.fabric.system().runUntil(() -> rogue[0].requests.size() == 1, SimulatedPager.SECOND);
      int slot = rogue[0].channel.reserve();
      rogue[0].channel.buffers().asSlice(rogue[0].channel.offset(slot), 16).fill((byte) 0);
      rogue[0].channel.buffers().set(ValueLayout.JAVA_SHORT, rogue[0].channel.offset(slot) + 14, (short) PagerRequest.VERSION);
      rogue[0].channel.send(slot, 16, true);
      assertTrue(pager.fabric.system().runUntil(() -> done.size() == 1, 50_000_000L));
      assertEquals(List.of(Errno.EIO), done);
      assertTrue(pager.inspect(device).servers().getFirst().why().contains("not outstanding"));
    }
  }
}
