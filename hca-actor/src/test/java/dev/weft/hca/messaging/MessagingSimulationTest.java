package dev.weft.hca.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.typed.ActorRef;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels over the whole fabric in virtual time. */
@Tag("simulation")
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MessagingSimulationTest {
  private static final long SECOND = 1_000_000_000L;
  private static final ChannelSettings SMALL = new ChannelSettings(64, 8, 8, 4);
  private static final LinkFaults FAULTS = new LinkFaults(0.02, 0.01, 0.02, 0.01, 10_000);

  /** Sends numbers as fast as buffers allow, and checks that what comes in counts up on each channel. */
  private static class Peer implements MessageHandler, ConnectionObserver {
    final MessageEndpoint endpoint;
    final List<QueuePairChannel> channels = new ArrayList<>();
    final List<String> problems = new ArrayList<>();
    final List<Long> completed = new ArrayList<>();
    final List<WcStatus> failures = new ArrayList<>();
    final int toSend;
    final boolean solicit;
    int established;
    int roomCalls;
    int received;
    long wakes;

    private static final class Counter {
      int sent;
      int received;
    }

    Peer(VirtualFabric fabric, Node node, int channelMax, boolean solicitedOnly, boolean solicit, int toSend) {
      this.toSend = toSend;
      this.solicit = solicit;
      ActorRef<String> actor = fabric.system().spawn(Behaviors.receiveMessage(message -> {
        endpoint().service(5);
        return Behaviors.same();
      }), "peer-" + node.name());
      ProtectionDomain pd = node.hca().allocPd();
      endpoint = new MessageEndpoint(node.hca(), pd, channelMax * SMALL.cqEntries(), ReceiveContext.ISR, solicitedOnly, this, () -> {
        wakes++;
        actor.tell("completions");
      });
      endpoint.arm();
    }

    private MessageEndpoint endpoint() {
      return endpoint;
    }

    QueuePairChannel open() {
      QueuePairChannel channel = endpoint.open(SMALL);
      channel.attach(new Counter());
      channels.add(channel);
      return channel;
    }

    void pump(MessageChannel channel) {
      Counter counter = (Counter) channel.attachment();
      while (counter.sent < toSend) {
        int slot = channel.reserve();
        if (slot == MessageChannel.NO_BUFFER) {
          return;
        }
        channel.buffers().set(ValueLayout.JAVA_INT, channel.offset(slot), counter.sent++);
        if (counter.sent == toSend) {
          channel.sendNotified(slot, 4, true, 4711);
        } else {
          channel.send(slot, 4, solicit);
        }
      }
    }

    @Override
    public void onMessage(MessageChannel channel, MemorySegment buffer, long offset, int length) {
      Counter counter = (Counter) channel.attachment();
      int value = buffer.get(ValueLayout.JAVA_INT, offset);
      if (length != 4 || value != counter.received) {
        problems.add("got " + value + " of " + length + " bytes, expected " + counter.received);
      }
      counter.received++;
      received++;
    }

    @Override
    public void onCompleted(MessageChannel channel, long token, WcStatus status) {
      completed.add(token);
    }

    @Override
    public void onSendRoom(MessageChannel channel) {
      roomCalls++;
      pump(channel);
    }

    @Override
    public void onFailed(MessageChannel channel, WcStatus status, int vendorErr) {
      failures.add(status);
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      established++;
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      problems.add("rejected: " + reason);
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {}
  }

  private static void connect(VirtualFabric fabric, Node from, Peer client, Peer server, int count) {
    for (int i = 0; i < count; i++) {
      QueuePairChannel channel = client.open();
      from.cm().connect("server", "echo", channel.qp(), ConnectionOptions.DEFAULT, new byte[0], client);
      channel.postReceives();
    }
    assertTrue(fabric.system().runUntil(() -> client.established == count && server.established == count, 10 * SECOND));
  }

  private static Peer listen(VirtualFabric fabric, Node node, boolean solicitedOnly, int toSend) {
    Peer server = new Peer(fabric, node, 4, solicitedOnly, false, toSend);
    node.cm().listen("echo", request -> {
      QueuePairChannel channel = server.open();
      request.accept(channel.qp(), ConnectionOptions.DEFAULT, new byte[0], server);
      channel.postReceives();
    });
    return server;
  }

  @Test
  void shouldDeliverEveryMessageOnceAndInOrderWhenBuffersAreFewAndPacketsAreLost() {
    Seeds.of(MessagingSimulationTest.class, "messaging", 0, 12, 12).run(seed -> {
      try (VirtualFabric fabric = VirtualFabric.create(seed, seed % 2 == 0 ? LinkFaults.NONE : FAULTS)) {
        Node a = fabric.addNode("client");
        Peer server = listen(fabric, fabric.addNode("server"), false, 0);
        Peer client = new Peer(fabric, a, 3, seed % 3 == 0, false, 400);
        connect(fabric, a, client, server, 3);
        client.channels.forEach(client::pump);
        boolean done = fabric.system().runUntil(() -> server.received == 1200 && client.completed.size() == 3, 200 * SECOND);
        assertTrue(done, "seed " + seed + ": " + server.received + " received, " + client.completed + " " + client.endpoint.stats());
        assertEquals(List.of(), server.problems, "seed " + seed);
        assertEquals(List.of(4711L, 4711L, 4711L), client.completed);
        assertTrue(client.roomCalls > 0);
        for (QueuePairChannel channel : client.channels) {
          ChannelStats stats = channel.stats();
          assertEquals(8, stats.freeBuffers(), "seed " + seed);
          assertTrue(stats.signaled() <= 400 / 2 + 1, "unsignaled sends must prevail: " + stats);
        }
      }
    });
  }

  @Test
  void shouldWakeOnceForABurstWhenOnlyTheLastMessageIsSolicited() {
    try (VirtualFabric fabric = VirtualFabric.create(5, LinkFaults.NONE)) {
      Node a = fabric.addNode("client");
      Peer server = listen(fabric, fabric.addNode("server"), true, 0);
      Peer client = new Peer(fabric, a, 1, false, false, 8);
      connect(fabric, a, client, server, 1);
      client.pump(client.channels.getFirst());
      assertTrue(fabric.system().runUntil(() -> server.received == 8, SECOND));
      assertTrue(server.wakes <= 2, "one notification, and one more for the budget of 5: " + server.wakes);
    }
  }

  @Test
  void shouldTellOfAFailureOnceAndFlushWhatIsPosted() {
    try (VirtualFabric fabric = VirtualFabric.create(6, LinkFaults.NONE)) {
      Node a = fabric.addNode("client");
      Peer server = listen(fabric, fabric.addNode("server"), false, 0);
      Peer client = new Peer(fabric, a, 1, true, false, 8);
      connect(fabric, a, client, server, 1);
      fabric.link("server").setPartitioned(true);
      QueuePairChannel channel = client.channels.getFirst();
      client.pump(channel);
      assertTrue(fabric.system().runUntil(() -> !client.completed.isEmpty(), 60 * SECOND));
      assertEquals(List.of(WcStatus.RETRY_EXC_ERR), client.failures);
      assertFalse(channel.isOpen());
      assertEquals(8, channel.stats().freeBuffers());
      assertFalse(channel.send(channel.reserve(), 4, false), "a failed channel sends nothing");
      assertEquals(8, channel.stats().freeBuffers());
      channel.close();
      channel.close();
      assertEquals(0, client.endpoint.stats().cqEntriesPromised());
    }
  }

  @Test
  void shouldRefuseAChannelForWhichTheCompletionQueueIsTooSmall() {
    try (VirtualFabric fabric = VirtualFabric.create(7, LinkFaults.NONE)) {
      Peer peer = new Peer(fabric, fabric.addNode("client"), 1, false, false, 0);
      peer.open();
      assertThrows(IllegalStateException.class, peer::open);
      peer.endpoint.close();
      assertEquals(0, peer.endpoint.channelCount());
    }
  }
}
