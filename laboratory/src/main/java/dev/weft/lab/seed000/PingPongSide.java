package dev.weft.lab.seed000;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.ChannelSettings;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.lab.measure.ConnectedSide;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.Consumer;

/** One end of a ping-pong. This one answers each message with what came. */
class PingPongSide extends ConnectedSide {
  private static final int BUFFERS = 8;

  private final int messageBytes;

  /**
   * @param messageBytes length of each message, 8 or more
   * @param established called once when this side is connected, on the hardware thread
   * @param failed told why it went wrong, in this side's context
   */
  PingPongSide(Node node, ReceiveContext context, int messageBytes, Runnable established, Consumer<String> failed) {
    super(node, context, true, new ChannelSettings(Math.max(16, messageBytes), BUFFERS, BUFFERS, 0), established, failed);
    this.messageBytes = messageBytes;
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

  @Override
  public void onMessage(MessageChannel from, MemorySegment buffer, long offset, int length) {
    send(buffer.get(ValueLayout.JAVA_LONG, offset));
  }

  @Override
  public void onDisconnected(Connection ended, boolean nodeLost) {
    if (nodeLost) {
      fail("the node that " + node.name() + " was connected with left the fabric");
    }
  }
}
