package dev.weft.hca.experiments;

import dev.weft.hca.ProtectionDomain;
import dev.weft.hca.ReceiveContext;
import dev.weft.hca.WcStatus;
import dev.weft.hca.cm.Connection;
import dev.weft.hca.cm.ConnectionObserver;
import dev.weft.hca.cm.ConnectionOptions;
import dev.weft.hca.cm.ConnectionRequest;
import dev.weft.hca.cm.RejectReason;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.messaging.MessageEndpoint;
import dev.weft.hca.messaging.MessageHandler;
import dev.weft.hca.node.Node;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/**
 * One end of a ping-pong, driven by its receive context: the code is the same in all contexts and both clocks. This one answers each
 * message with what came.
 */
class PingPongSide implements MessageHandler, ConnectionObserver {
  private static final int BUFFERS = 8;

  final Node node;
  final MessageEndpoint endpoint;
  final MessageChannel channel;
  private final ProtectionDomain pd;
  private final int messageBytes;
  private final Runnable established;
  private final Consumer<String> failed;
  private volatile Connection connection;

  /**
   * @param messageBytes length of each message, 8 or more
   * @param established called once when this side is connected, on the hardware thread
   * @param failed told why it went wrong, in this side's context
   */
  PingPongSide(Node node, ReceiveContext context, int messageBytes, Runnable established, Consumer<String> failed) {
    this.node = node;
    this.messageBytes = messageBytes;
    this.established = established;
    this.failed = failed;
    ChannelSettings settings = new ChannelSettings(Math.max(16, messageBytes), BUFFERS, BUFFERS, 0);
    pd = node.hca().allocPd();
    endpoint = new MessageEndpoint(node.hca(), pd, settings.cqEntries(), context, true, this);
    channel = endpoint.open(settings);
  }

  final void accept(ConnectionRequest request) {
    request.accept(channel.qp(), ConnectionOptions.DEFAULT, new byte[0], this);
    channel.postReceives();
  }

  final void connect(String peer, String service, byte[] privateData) {
    node.cm().connect(peer, service, channel.qp(), ConnectionOptions.DEFAULT, privateData, this);
    channel.postReceives();
  }

  /** Ends the connection, if there is one. Any thread. */
  final void disconnect() {
    if (connection != null) {
      connection.disconnect();
    }
  }

  /** Gives everything back. Not on the hardware thread. */
  final void close() {
    endpoint.close();
    node.hca().deallocPd(pd);
  }

  final void send(long value) {
    int slot = channel.reserve();
    if (slot == MessageChannel.NO_BUFFER) {
      fail("no send buffer for round " + value);
      return;
    }
    channel.buffers().set(ValueLayout.JAVA_LONG, channel.offset(slot), value);
    channel.send(slot, messageBytes, true);
  }

  final void fail(String reason) {
    failed.accept(reason);
  }

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    send(buffer.get(ValueLayout.JAVA_LONG, offset));
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
  public void onDisconnected(Connection ended, boolean nodeLost) {
    if (nodeLost) {
      fail("the node that " + node.name() + " was connected with left the fabric");
    }
  }

  @Override
  public final void onCompleted(MessageChannel of, long token, WcStatus status) {}

  @Override
  public final void onSendRoom(MessageChannel of) {}
}
