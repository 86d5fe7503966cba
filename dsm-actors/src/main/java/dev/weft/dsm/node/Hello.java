package dev.weft.dsm.node;

import java.nio.ByteBuffer;

/**
 * What nodes tell each other when they connect.
 *
 * @param node number of the sender; -1 if it wants one
 * @param assigned what the first node calls the one that has none
 * @param frames address of the sender's frames, for RDMA
 * @param rkey key of these
 * @param bytes their length
 */
record Hello(int node, int assigned, long frames, int rkey, long bytes) {
  private static final int MAGIC = 0x5746_4d32;
  private static final int BYTES = 32;

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(node).putInt(assigned).putInt(rkey).putLong(frames).putLong(bytes).array();
  }

  /** Null if it is none. */
  static Hello decode(byte[] data) {
    if (data == null || data.length != BYTES) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(data);
    if (from.getInt() != MAGIC) {
      return null;
    }
    int node = from.getInt();
    int assigned = from.getInt();
    int rkey = from.getInt();
    return new Hello(node, assigned, from.getLong(), rkey, from.getLong());
  }
}
