package dev.weft.dsm.node;

import java.nio.ByteBuffer;

/**
 * What a node tells one that it has taken for lost, on a connection of its own that is never made.
 *
 * @param lost number of the one that is told
 * @param frames where its frames were, and {@code rkey} their key: a later node of its name is not meant
 * @param from number of the sender
 * @param side bits of the nodes that live as far as the sender knows, itself among them
 */
record LostNotice(int lost, long frames, int rkey, int from, long side) {
  private static final int MAGIC = 0x5746_4c31;
  private static final int BYTES = 32;

  byte[] encode() {
    return ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(lost).putLong(frames).putInt(rkey).putInt(from).putLong(side).array();
  }

  /** Null if it is none. */
  static LostNotice decode(byte[] data) {
    if (data == null || data.length != BYTES) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(data);
    return from.getInt() != MAGIC ? null : new LostNotice(from.getInt(), from.getLong(), from.getInt(), from.getInt(), from.getLong());
  }

  /**
   * Whether the nodes of one side are to end where those of another one go on: the side with fewer nodes ends, and of two equal ones that without the
   * lowest number. Nodes that are of both do not count. All nodes of a side come to the same answer.
   */
  static boolean isToEnd(long own, long theirs) {
    long onlyOwn = own & ~theirs;
    long onlyTheirs = theirs & ~own;
    int more = Long.bitCount(onlyTheirs) - Long.bitCount(onlyOwn);
    return onlyTheirs != 0 && (more > 0 || more == 0 && Long.numberOfTrailingZeros(onlyTheirs) < Long.numberOfTrailingZeros(onlyOwn));
  }
}
