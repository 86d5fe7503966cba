package dev.weft.hca.experiments;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.WcStatus;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongConsumer;

/**
 * A client that sends a request as soon as it has the reply to the one before, and a server that echoes. Each side is an endpoint that
 * its receive context drives; the code is the same in all contexts and both clocks.
 */
final class PingPong {
  private static final String SERVICE = "ping-pong";
  private static final int BUFFERS = 8;

  private final Side client;
  private final Side server;
  private final Runnable finished;
  private int established;
  private volatile String failure;

  /**
   * @param messageBytes length of request and reply, 8 or more
   * @param rounds requests, one after another
   * @param selectivePollNs how long the client polls for each reply before it waits for its context; 0 for not at all
   * @param latencies told of each round trip, in nanoseconds, in the client's context
   * @param finished called in the client's context after the last round, or where it failed
   */
  PingPong(Node clientNode, ReceiveContext clientContext, Node serverNode, ReceiveContext serverContext, int messageBytes,
      int rounds, long selectivePollNs, LongConsumer latencies, Runnable finished) {
    this.finished = finished;
    client = new Client(clientNode, clientContext, messageBytes, rounds, selectivePollNs, latencies);
    server = new Side(serverNode, serverContext, messageBytes);
  }

  /** Connects, then plays. Any thread that may call control verbs. */
  void play() {
    server.node.cm().listen(SERVICE, request -> {
      request.accept(server.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], server);
      server.channel.postReceives();
    });
    client.node.cm().connect(server.node.name(), SERVICE, client.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], client);
    client.channel.postReceives();
  }

  /** Why it did not go well, or null. */
  String failure() {
    return failure;
  }

  MessageEndpoint serverEndpoint() {
    return server.endpoint;
  }

  MessageEndpoint clientEndpoint() {
    return client.endpoint;
  }

  private void fail(String reason) {
    failure = reason;
    finished.run();
  }

  private class Side implements MessageHandler, ConnectionObserver {
    final Node node;
    final MessageEndpoint endpoint;
    final MessageChannel channel;
    final int messageBytes;

    Side(Node node, ReceiveContext context, int messageBytes) {
      this.node = node;
      this.messageBytes = messageBytes;
      ChannelSettings settings = new ChannelSettings(Math.max(16, messageBytes), BUFFERS, BUFFERS, 0);
      endpoint = new MessageEndpoint(node.hca(), node.hca().allocPd(), settings.cqEntries(), context, true, this);
      channel = endpoint.open(settings);
    }

    void send(long value) {
      int slot = channel.reserve();
      if (slot == MessageChannel.NO_BUFFER) {
        fail("no send buffer for round " + value);
        return;
      }
      channel.buffers().set(ValueLayout.JAVA_LONG, channel.offset(slot), value);
      channel.send(slot, messageBytes, true);
    }

    void begin() {}

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      send(buffer.get(ValueLayout.JAVA_LONG, offset));
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      endpoint.start();
      if (++established == 2) {
        client.begin();
      }
    }

    @Override
    public void onRejected(RejectReason reason, byte[] privateData) {
      fail("the connection was rejected: " + reason);
    }

    @Override
    public void onFailed(MessageChannel failed, WcStatus status, int vendorErr) {
      fail("the connection of " + node.name() + " failed: " + status);
    }

    @Override
    public void onDisconnected(Connection connection, boolean nodeLost) {}

    @Override
    public void onCompleted(MessageChannel of, long token, WcStatus status) {}

    @Override
    public void onSendRoom(MessageChannel of) {}
  }

  private final class Client extends Side {
    private final Clock clock;
    private final int rounds;
    private final long selectivePollNs;
    private final LongConsumer latencies;
    private long sentNs;
    private long round;

    Client(Node node, ReceiveContext context, int messageBytes, int rounds, long selectivePollNs, LongConsumer latencies) {
      super(node, context, messageBytes);
      this.clock = node.context().clock();
      this.rounds = rounds;
      this.selectivePollNs = selectivePollNs;
      this.latencies = latencies;
    }

    @Override
    void begin() {
      sentNs = clock.nowNs();
      send(round);
      if (selectivePollNs > 0) {
        endpoint.expectReply(selectivePollNs);
      }
    }

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      latencies.accept(clock.nowNs() - sentNs);
      long answered = buffer.get(ValueLayout.JAVA_LONG, offset);
      if (answered != round) {
        fail("round " + round + " was answered with " + answered);
      } else if (++round == rounds) {
        finished.run();
      } else {
        begin();
      }
    }
  }
}
