package dev.weft.dsm.release;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A part of a batch in one datagram: a header of {@value #HEADER_BYTES} bytes with these fields, little endian, then the data.
 *
 * @param key random key of the sender's frames; a receiver so drops datagrams of a node that had the same number in an earlier life of the space
 * @param sender number of the sender
 * @param seq number of the batch
 * @param receivers bits of the nodes that the batch is for
 * @param slot slot of the sender's part of the frames that has the batch
 * @param bytes size of the whole batch
 * @param cut bytes of each part but the last
 * @param at offset of this part in the batch
 */
public record Part(int key, int sender, long seq, long receivers, int slot, int bytes, int cut, int at) {
  /** Size of the header in bytes; a multiple of 8. */
  public static final int HEADER_BYTES = 40;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Bytes of data in this part. */
  public int length() {
    return Math.min(cut, bytes - at);
  }

  /** The same with the sender's key. */
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

  /** Reads the header of a datagram of {@code length} bytes; null if it is not valid. */
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
