package dev.weft.hca.experiments;

import dev.weft.hca.ReceiveContext;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.node.Node;
import java.util.function.LongConsumer;

/** A ping-pong whose two ends this JVM, or this simulation, has both. */
final class PingPong {
  private final PingPongClient client;
  private final PingPongSide server;
  private final Runnable finished;
  private int established;
  private volatile String failure;

  /**
   * @param latencies told of each round trip, in nanoseconds, in the client's context
   * @param finished called in the client's context after the last round, or where it failed
   */
  PingPong(Node clientNode, ReceiveContext clientContext, Node serverNode, ReceiveContextExperiment.Setup setup, LongConsumer latencies,
      Runnable finished) {
    this.finished = finished;
    client = new PingPongClient(clientNode, clientContext, setup, latencies, this::onEstablished, finished, this::fail);
    server = new PingPongSide(serverNode, setup.server(), setup.messageBytes(), this::onEstablished, this::fail);
  }

  /** Connects, then plays. Any thread that may call control verbs. */
  void play() {
    server.node.cm().listen(PingPongService.SERVICE, server::accept);
    client.connect(server.node.name(), PingPongService.SERVICE, new byte[0]);
  }

  private void onEstablished() {
    if (++established == 2) {
      client.begin();
    }
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
}
