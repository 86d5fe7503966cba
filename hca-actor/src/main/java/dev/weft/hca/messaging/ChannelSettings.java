package dev.weft.hca.messaging;

/**
 * Sizes of one channel.
 *
 * @param messageBytes size of each send buffer, that is the longest message but for what {@link QueuePairChannel#sendWith} adds, 16 to 65,536
 * @param receiveBytes size of each receive buffer, that is the longest message that can be received, {@code messageBytes} to 1 MiB
 * @param sendBuffers messages that may be reserved or in flight, 4 to 16,384
 * @param receiveBuffers receives posted at any time, that is messages that the peer may send without a reply, 1 to 16,384
 * @param transferMax RDMA requests that may be posted at a time in addition to the messages, 0 to 16,384
 * @param shared whether the buffers are memory that other JVMs of the host can map ({@code Hca.allocMemory}), of which a JVM has few pieces;
 *     worth while for who uses {@link QueuePairChannel#sendWith}
 */
public record ChannelSettings(int messageBytes, int receiveBytes, int sendBuffers, int receiveBuffers, int transferMax, boolean shared) {
  public ChannelSettings {
    check("messageBytes", messageBytes, 16, 65_536);
    check("receiveBytes", receiveBytes, messageBytes, 1 << 20);
    check("sendBuffers", sendBuffers, 4, 16_384);
    check("receiveBuffers", receiveBuffers, 1, 16_384);
    check("transferMax", transferMax, 0, 16_384);
  }

  /** Both directions with messages of at most {@code messageBytes}, in memory of this JVM. */
  public ChannelSettings(int messageBytes, int sendBuffers, int receiveBuffers, int transferMax) {
    this(messageBytes, messageBytes, sendBuffers, receiveBuffers, transferMax, false);
  }

  private static void check(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + value + ", must be " + min + " to " + max);
    }
  }

  /** Send queue depth in work requests. */
  int sendDepth() {
    return sendBuffers + transferMax;
  }

  /** Completion queue entries that a channel of these sizes can fill. */
  public int cqEntries() {
    return sendDepth() + receiveBuffers;
  }
}
