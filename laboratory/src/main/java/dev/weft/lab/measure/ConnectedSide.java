package dev.weft.lab.measure;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.messaging.QueuePairChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.WcStatus;
import java.util.function.Consumer;

/** One end of one connection: an endpoint that its receive context drives. The code is the same in all contexts and both clocks. */
public abstract class ConnectedSide implements MessageHandler, ConnectionObserver {
  public final Node node;
  public final ProtectionDomain pd;
  public final MessageEndpoint endpoint;
  public final QueuePairChannel channel;
  private final Runnable established;
  private final Consumer<String> failed;
  private volatile Connection connection;

  /**
   * @param established called once when this side is connected, on the hardware thread
   * @param failed told why it went wrong, in this side's context
   */
  protected ConnectedSide(Node node, ReceiveContext context, boolean solicitedOnly, ChannelSettings settings, Runnable established,
      Consumer<String> failed) {
    this.node = node;
    this.established = established;
    this.failed = failed;
    pd = node.hca().allocPd();
    endpoint = new MessageEndpoint(node.hca(), pd, settings.cqEntries(), context, solicitedOnly, this);
    channel = endpoint.open(settings);
  }

  public final void accept(ConnectionRequest request) {
    request.accept(channel.qp(), ConnectionOptions.DEFAULT, new byte[0], this);
    channel.postReceives();
  }

  public final void connect(String peer, String service, byte[] privateData) {
    node.cm().connect(peer, service, channel.qp(), ConnectionOptions.DEFAULT, privateData, this);
    channel.postReceives();
  }

  /** Ends the connection, if there is one. Any thread. */
  public final void disconnect() {
    if (connection != null) {
      connection.disconnect();
    }
  }

  public final void fail(String reason) {
    failed.accept(reason);
  }

  @Override
  public final void onEstablished(Connection made, byte[] privateData) {
    connection = made;
    endpoint.start();
    established.run();
  }

  @Override
  public final void onRejected(RejectReason reason, byte[] privateData) {
    fail("the connection was rejected: " + reason);
  }

  @Override
  public final void onFailed(MessageChannel broken, WcStatus status, int vendorErr) {
    fail("the connection of " + node.name() + " failed: " + status);
  }

  @Override
  public void onDisconnected(Connection ended, boolean nodeLost) {}

  @Override
  public void onCompleted(MessageChannel of, long token, WcStatus status) {}

  @Override
  public final void onSendRoom(MessageChannel of) {}
}
