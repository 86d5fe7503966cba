package dev.weft.hca.experiments;

import dev.weft.hca.ProtectionDomain;
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

/** A client and a server with one connection between them; each side is an endpoint that its receive context drives. */
abstract class TwoSides {
  private final Runnable finished;
  private int established;
  private volatile String failure;

  /** @param finished called in the client's context at the end, or where it failed */
  TwoSides(Runnable finished) {
    this.finished = finished;
  }

  /** Lays the connection. Any thread that may call control verbs. */
  final void connect(String service, Side client, Side server) {
    server.node.cm().listen(service, request -> {
      request.accept(server.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], server);
      server.channel.postReceives();
    });
    client.node.cm().connect(server.node.name(), service, client.channel.qp(), ConnectionOptions.DEFAULT, new byte[0], client);
    client.channel.postReceives();
  }

  /** Both sides are connected. */
  abstract void begin();

  /** Why it did not go well, or null. */
  final String failure() {
    return failure;
  }

  final void fail(String reason) {
    failure = reason;
    finished.run();
  }

  final void finish() {
    finished.run();
  }

  /** One end of the connection. */
  abstract class Side implements MessageHandler, ConnectionObserver {
    final Node node;
    final ProtectionDomain pd;
    final MessageEndpoint endpoint;
    final MessageChannel channel;

    Side(Node node, ReceiveContext context, boolean solicitedOnly, ChannelSettings settings) {
      this.node = node;
      pd = node.hca().allocPd();
      endpoint = new MessageEndpoint(node.hca(), pd, settings.cqEntries(), context, solicitedOnly, this);
      channel = endpoint.open(settings);
    }

    @Override
    public void onEstablished(Connection connection, byte[] privateData) {
      endpoint.start();
      if (++established == 2) {
        begin();
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
}
