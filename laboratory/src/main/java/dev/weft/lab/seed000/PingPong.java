package dev.weft.lab.seed000;

import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.measure.TwoSides;
import java.util.function.LongConsumer;

/** A ping-pong whose two ends this JVM, or this simulation, has both. */
final class PingPong extends TwoSides {
  private final PingPongClient client;
  private final PingPongSide server;

  /**
   * @param latencies told of each round trip, in nanoseconds, in the client's context
   * @param finished called in the client's context after the last round, or where it failed
   */
  PingPong(Node clientNode, ReceiveContext clientContext, Node serverNode, ReceiveContextExperiment.Setup setup, LongConsumer latencies,
      Runnable finished) {
    super(finished);
    client = new PingPongClient(clientNode, clientContext, setup, latencies, this::onEstablished, this::finish, this::fail);
    server = new PingPongSide(serverNode, setup.server(), setup.messageBytes(), this::onEstablished, this::fail);
  }

  /** Connects, then plays. Any thread that may call control verbs. */
  void play() {
    connect(PingPongService.SERVICE, client, server);
  }

  @Override
  protected void begin() {
    client.begin();
  }

  MessageEndpoint serverEndpoint() {
    return server.endpoint;
  }

  MessageEndpoint clientEndpoint() {
    return client.endpoint;
  }
}
