package dev.weft.hca.experiments;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.node.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongConsumer;

/**
 * A client that sends a request as soon as it has the reply to the one before, and a server that echoes. Each side is an endpoint that
 * its receive context drives; the code is the same in all contexts and both clocks.
 */
final class PingPong extends TwoSides {
  private static final String SERVICE = "ping-pong";
  private static final int BUFFERS = 8;

  private final Client client;
  private final EchoingSide server;

  /**
   * @param messageBytes length of request and reply, 8 or more
   * @param rounds requests, one after another
   * @param selectivePollNs how long the client polls for each reply before it waits for its context; 0 for not at all
   * @param latencies told of each round trip, in nanoseconds, in the client's context
   * @param finished called in the client's context after the last round, or where it failed
   */
  PingPong(Node clientNode, ReceiveContext clientContext, Node serverNode, ReceiveContext serverContext, int messageBytes,
      int rounds, long selectivePollNs, LongConsumer latencies, Runnable finished) {
    super(finished);
    client = new Client(clientNode, clientContext, messageBytes, rounds, selectivePollNs, latencies);
    server = new EchoingSide(serverNode, serverContext, messageBytes);
  }

  /** Connects, then plays. Any thread that may call control verbs. */
  void play() {
    connect(SERVICE, client, server);
  }

  @Override
  void begin() {
    client.ask();
  }

  MessageEndpoint serverEndpoint() {
    return server.endpoint;
  }

  MessageEndpoint clientEndpoint() {
    return client.endpoint;
  }

  private class EchoingSide extends Side {
    final int messageBytes;

    EchoingSide(Node node, ReceiveContext context, int messageBytes) {
      super(node, context, true, new ChannelSettings(Math.max(16, messageBytes), BUFFERS, BUFFERS, 0));
      this.messageBytes = messageBytes;
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

    @Override
    public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
      send(buffer.get(ValueLayout.JAVA_LONG, offset));
    }
  }

  private final class Client extends EchoingSide {
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

    void ask() {
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
        finish();
      } else {
        ask();
      }
    }
  }
}
