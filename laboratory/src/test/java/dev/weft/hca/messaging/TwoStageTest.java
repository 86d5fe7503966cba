package dev.weft.hca.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.lab.hosts.HardwareProfile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an interrupt service routine cannot finish is finished in process context, in order, and counted. */
@Tag("simulation")
@Timeout(180)
class TwoStageTest {
  private static final long SECOND = 1_000_000_000L;
  private static final ChannelSettings SIZES = new ChannelSettings(16, 8, 16, 0);

  /** Sends numbers; checks that they come in order; its lock is taken for every n-th message. */
  private static final class Peer implements MessageHandler, ConnectionObserver {
    final MessageEndpoint endpoint;
    final QueuePairChannel channel;
    final int toSend;
    final int takenEvery;
    int sent;
    int tries;
    int blocked;
    volatile int received;
    volatile String problem;
    volatile boolean established;

    Peer(Node node, ReceiveContext context, int toSend, int takenEvery) {
      this.toSend = toSend;
      this.takenEvery = takenEvery;
      endpoint = new MessageEndpoint(node.hca(), node.hca().allocPd(), SIZES.cqEntries(), context, false, this);
      channel = endpoint.open(SIZES);
    }

    void pump() {
      while (sent < toSend) {
        int slot = channel.reserve();
        if (slot == MessageChannel.NO_BUFFER) {
          return;
        }
        channel.buffers().set(ValueLayout.JAVA_INT, channel.offset(slot), sent++);
        channel.send(slot, 4, false);
      }
    }

    @Override
    public boolean tryMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      tries++;
      if (takenEvery > 0 && buffer.get(ValueLayout.JAVA_INT, offset) % takenEvery == 0) {
        return false;
      }
      take(buffer, offset);
      return true;
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      blocked++;
      take(buffer, offset);
    }

    private void take(MemorySegment buffer, long offset) {
      int value = buffer.get(ValueLayout.JAVA_INT, offset);
      if (value != received && problem == null) {
        problem = "got " + value + ", expected " + received;
      }
      received = received + 1;
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      endpoint.start();
      established = true;
      pump();
    }

    @Override
    public void onSendRoom(MessageChannel of) {
      pump();
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      problem = "rejected: " + reason;
    }

    @Override
    public void onFailed(MessageChannel of, WcStatus status, int vendorErr) {
      problem = "failed: " + status;
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {}

    @Override
    public void onCompleted(MessageChannel of, long token, WcStatus status) {}
  }

  private static Peer[] connect(Node clientNode, Node serverNode, ReceiveContext context, int count, int takenEvery) {
    Peer server = new Peer(serverNode, context, 0, takenEvery);
    Peer client = new Peer(clientNode, ReceiveContext.ISR, count, 0);
    serverNode.cm().listen("numbers", request -> {
      request.accept(server.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], server);
      server.channel.postReceives();
    });
    clientNode.cm().connect(serverNode.name(), "numbers", client.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], client);
    client.channel.postReceives();
    return new Peer[] {client, server};
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 50})
  void shouldFinishInProcessContextWhatAnInterruptCannot(int takenEvery) {
    HardwareProfile profile = HardwareProfile.load("ib-2003-p3");
    for (long seed = 1; seed <= 5; seed++) {
      try (VirtualFabric fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty())) {
        Peer[] peers = connect(fabric.addNode("client"), fabric.addNode("server"), ReceiveContext.ISR, 500, takenEvery);
        Peer server = peers[1];
        assertTrue(fabric.system().runUntil(() -> server.received == 500, 10 * SECOND), "seed " + seed + ": " + server.received);
        assertNull(server.problem, "seed " + seed);
        EndpointStats stats = server.endpoint.stats();
        assertEquals(takenEvery > 0, stats.deferrals() > 0, "seed " + seed + " " + stats);
        assertTrue(stats.deferred() >= stats.deferrals() && stats.deferred() >= server.blocked, "seed " + seed + " " + stats);
        assertEquals(500, stats.completions(), "seed " + seed + " " + stats);
        assertTrue(takenEvery != 1 || server.blocked == 500, "every message finds the lock taken: " + server.blocked);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = ReceiveContext.class, names = {"POLLING", "TASK_QUEUE", "PROCESS"})
  void shouldNotDeferWhereBlockingIsAllowed(ReceiveContext context) {
    try (VirtualFabric fabric = new VirtualFabric(3, HardwareProfile.load("ib-2003-p3"), LinkFaults.NONE, ConfigFactory.empty())) {
      Peer server = connect(fabric.addNode("client"), fabric.addNode("server"), context, 200, 1)[1];
      assertTrue(fabric.system().runUntil(() -> server.received == 200, 10 * SECOND));
      assertNull(server.problem);
      assertEquals(0, server.tries);
      assertEquals(0, server.endpoint.stats().deferrals());
    }
  }

  @Test
  void shouldDeferInVirtualTimeWithoutAProfileToo() {
    try (VirtualFabric fabric = VirtualFabric.create(4, LinkFaults.NONE)) {
      Peer server = connect(fabric.addNode("client"), fabric.addNode("server"), ReceiveContext.ISR, 200, 7)[1];
      assertTrue(fabric.system().runUntil(() -> server.received == 200, 10 * SECOND));
      assertNull(server.problem);
      assertTrue(server.endpoint.stats().deferrals() > 0);
    }
  }

  @ParameterizedTest
  @EnumSource(ReceiveContext.class)
  void shouldKeepTheOrderInRealTime(ReceiveContext context) throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.empty())) {
      Peer server = connect(fabric.addNode("client"), fabric.addNode("server"), context, 5_000, 5)[1];
      for (long waitedMs = 0; server.received < 5_000 && server.problem == null; waitedMs++) {
        assertTrue(waitedMs < 30_000, context + ": only " + server.received + " " + server.endpoint.stats());
        TimeUnit.MILLISECONDS.sleep(1);
      }
      assertNull(server.problem);
      assertEquals(context == ReceiveContext.ISR, server.endpoint.stats().deferrals() > 0);
    }
  }
}
