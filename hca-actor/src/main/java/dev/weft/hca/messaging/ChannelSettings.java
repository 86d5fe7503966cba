package dev.weft.hca.messaging;

/**
 * The sizes of one channel.
 *
 * @param messageBytes size of each send buffer: the longest message without the data that {@link QueuePairChannel#sendWith} adds, 16 to 65,536
 * @param receiveBytes size of each receive buffer: the longest message that can be received, {@code messageBytes} to 1 MiB
 * @param sendBuffers number of messages that may be reserved or in flight, 4 to 16,384
 * @param receiveBuffers number of posted receives: the messages that the peer may send without a reply, 1 to 16,384
 * @param transferMax number of RDMA requests that may be posted at a time in addition to the messages, 0 to 16,384
 * @param shared whether the buffers are memory that other JVMs of the host can map ({@code Hca.allocMemory}). A JVM has few pieces of such memory; use
 *     it for channels that call {@link QueuePairChannel#sendWith}
 */
public record ChannelSettings(int messageBytes, int receiveBytes, int sendBuffers, int receiveBuffers, int transferMax, boolean shared) {
  public ChannelSettings {
    check("messageBytes", messageBytes, 16, 65_536);
    check("receiveBytes", receiveBytes, messageBytes, 1 << 20);
    check("sendBuffers", sendBuffers, 4, 16_384);
    check("receiveBuffers", receiveBuffers, 1, 16_384);
    check("transferMax", transferMax, 0, 16_384);
  }

  /** Creates settings for messages of at most {@code messageBytes} in both directions, with buffers that are not shared. */
  public ChannelSettings(int messageBytes, int sendBuffers, int receiveBuffers, int transferMax) {
    this(messageBytes, messageBytes, sendBuffers, receiveBuffers, transferMax, false);
  }

  private static void check(String name, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(name + " is " + value + ", must be from " + min + " to " + max);
    }
  }

  /** Send queue depth in work requests. */
  int sendDepth() {
    return sendBuffers + transferMax;
  }

  /** The number of completion queue entries that such a channel can fill. */
  public int cqEntries() {
    return sendDepth() + receiveBuffers;
  }
}
