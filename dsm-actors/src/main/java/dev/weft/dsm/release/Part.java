package dev.weft.dsm.release;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A piece of a batch, as one datagram carries it: this as a header of {@value #HEADER_BYTES} bytes, little endian, then the data.
 *
 * @param key of the sender's frames, which is random, so that nothing is taken from a node that had the same number in another life of the space
 * @param sender its number
 * @param seq number of the batch
 * @param receivers bits of the nodes that the batch is for
 * @param slot of the sender's part that the batch is in
 * @param bytes of the whole batch
 * @param cut bytes of each piece but the last
 * @param at where this piece begins in the batch
 */
public record Part(int key, int sender, long seq, long receivers, int slot, int bytes, int cut, int at) {
  /** Before the data; a multiple of 8. */
  public static final int HEADER_BYTES = 40;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Bytes of data. */
  public int length() {
    return Math.min(cut, bytes - at);
  }

  /** The same with that key. */
  public Part withKey(int sendersKey) {
    return new Part(sendersKey, sender, seq, receivers, slot, bytes, cut, at);
  }

  /** Writes the header; {@code offset} is a multiple of 8. */
  public void encode(MemorySegment to, long offset) {
    to.set(INT, offset, key);
    to.set(INT, offset + 4, sender);
    to.set(LONG, offset + 8, seq);
    to.set(LONG, offset + 16, receivers);
    to.set(INT, offset + 24, slot);
    to.set(INT, offset + 28, bytes);
    to.set(INT, offset + 32, cut);
    to.set(INT, offset + 36, at);
  }

  /** Reads the header of a datagram of {@code length} bytes; null if that cannot be one. */
  public static Part decode(MemorySegment from, long offset, long length) {
    if (length < HEADER_BYTES) {
      return null;
    }
    Part part = new Part(from.get(INT, offset), from.get(INT, offset + 4), from.get(LONG, offset + 8), from.get(LONG, offset + 16),
        from.get(INT, offset + 24), from.get(INT, offset + 28), from.get(INT, offset + 32), from.get(INT, offset + 36));
    return part.canBe() && part.length() == length - HEADER_BYTES ? part : null;
  }

  private boolean canBe() {
    return sender >= 0 && sender < Staging.NODES_MAX && seq > 0 && slot >= 0 && slot < Staging.SLOTS && bytes >= Staging.HEADER_BYTES && cut >= 8
        && cut % 8 == 0 && at >= 0 && at < bytes && at % cut == 0;
  }
}
