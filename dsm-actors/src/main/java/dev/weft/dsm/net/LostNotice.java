package dev.weft.dsm.net;

import java.nio.ByteBuffer;

/**
 * The notice of a node to one that it has taken for lost, sent in a connection request that is never accepted.
 *
 * @param lost number of the receiver
 * @param frames address of the receiver's frames; with {@code rkey} it tells a later node of the same name that it is not meant
 * @param rkey key of these frames
 * @param from number of the sender
 * @param side bits of the nodes that live as far as the sender knows, including the sender
 */
public record LostNotice(int lost, long frames, int rkey, int from, long side) {
  private static final int MAGIC = 0x5746_4c31;
  private static final int BYTES = 32;

  public byte[] encode() {
    return ByteBuffer.allocate(BYTES).putInt(MAGIC).putInt(lost).putLong(frames).putInt(rkey).putInt(from).putLong(side).array();
  }

  /** Returns null if the data is not a notice. */
  public static LostNotice decode(byte[] data) {
    if (data == null || data.length != BYTES) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(data);
    return from.getInt() != MAGIC ? null : new LostNotice(from.getInt(), from.getLong(), from.getInt(), from.getInt(), from.getLong());
  }

  /**
   * Whether the nodes of one side must end while those of the other go on: the side with fewer nodes ends; of two equal sides, the one without the
   * lowest number. Nodes of both sides do not count. All nodes of a side get the same result.
   */
  public static boolean isToEnd(long own, long theirs) {
    long onlyOwn = own & ~theirs;
    long onlyTheirs = theirs & ~own;
    int more = Long.bitCount(onlyTheirs) - Long.bitCount(onlyOwn);
    return onlyTheirs != 0 && (more > 0 || more == 0 && Long.numberOfTrailingZeros(onlyTheirs) < Long.numberOfTrailingZeros(onlyOwn));
  }
}
