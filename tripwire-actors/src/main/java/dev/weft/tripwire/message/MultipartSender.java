package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The sending end of messages of several parts, one message at a time; see {@link MultipartReceiver}. Call {@link #tryBegin} with the header and the
 * lengths, then {@link #tryPart} for each part. After each of them a word is sent with the number of the message and the amount that has arrived, so
 * nothing has to be cleared.
 */
public final class MultipartSender extends End {
  private static final long RELEASED = 0;
  private static final int NUMBER_SHIFT = 32;

  private final int headerAt;
  private final int bodyAt;
  private final byte[] start;
  private int number;
  private int[] lengths = new int[0];
  private int sent;
  private int partAt;

  /** A sender for a {@link MultipartReceiver} of the same sizes. */
  public MultipartSender(Nic nic, int partsMax, int headerMaxBytes) {
    super(nic, Long.BYTES, RELEASED);
    headerAt = MultipartReceiver.headerAt(partsMax);
    bodyAt = MultipartReceiver.bodyAt(partsMax, headerMaxBytes);
    start = new byte[headerAt - (int) MultipartReceiver.TABLE + headerMaxBytes];
  }

  static long word(int number, int count) {
    return (long) number << NUMBER_SHIFT | count;
  }

  static int numberOf(long word) {
    return (int) (word >>> NUMBER_SHIFT);
  }

  static int countOf(long word) {
    return (int) word;
  }

  /** Whether the last message was released. */
  public boolean isReady() {
    return word(RELEASED) == number && sent == lengths.length;
  }

  /**
   * Sends the header of a new message; returns false if the last one is not completely sent or not released, or the NIC has no room.
   *
   * @param partLengths bytes of each part, 1 or more each; none for a message without body
   */
  public boolean tryBegin(MemorySegment header, long offset, int length, int... partLengths) {
    int body = check(length, partLengths);
    if (body > peer().length() - bodyAt) {
      throw new IllegalArgumentException("parts of " + body + " bytes; the receiver's buffer has " + (peer().length() - bodyAt));
    }
    if (!flush() || !isReady()) {
      return false;
    }
    MemorySegment bytes = MemorySegment.ofArray(start);
    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, 0, partLengths.length);
    for (int i = 0; i < partLengths.length; i++) {
      bytes.set(ValueLayout.JAVA_INT_UNALIGNED, Integer.BYTES * (1L + i), partLengths[i]);
    }
    int tableBytes = headerAt - (int) MultipartReceiver.TABLE;
    MemorySegment.copy(header, offset, bytes, tableBytes, length);
    if (!peer().write(MultipartReceiver.TABLE, bytes, 0, tableBytes + length)) {
      return false;
    }
    lengths = partLengths.clone();
    sent = 0;
    partAt = bodyAt;
    writeWord(MultipartReceiver.HEADER, word(++number, length));
    return true;
  }

  private int check(int headerLength, int[] partLengths) {
    int tableBytes = headerAt - (int) MultipartReceiver.TABLE;
    int partsMax = tableBytes / Integer.BYTES - 1;
    if (headerLength < 0 || headerLength > start.length - tableBytes || partLengths.length > partsMax) {
      throw new IllegalArgumentException("a header of " + headerLength + " bytes and " + partLengths.length + " parts, want at most "
          + (start.length - tableBytes) + " bytes and " + partsMax + " parts");
    }
    int body = 0;
    for (int length : partLengths) {
      if (length < 1) {
        throw new IllegalArgumentException("a part of " + length + " bytes; each has at least 1");
      }
      body = Math.addExact(MultipartReceiver.padded(body), length);
    }
    return body;
  }

  /** Sends the next part: as many bytes of {@code part}, from {@code offset} on, as were announced. Returns false if the NIC has no room. */
  public boolean tryPart(MemorySegment part, long offset) {
    if (sent == lengths.length) {
      throw new IllegalStateException("all " + sent + " parts are sent");
    }
    if (!flush() || !peer().write(partAt, part, offset, lengths[sent])) {
      return false;
    }
    partAt += MultipartReceiver.padded(lengths[sent]);
    sent++;
    writeWord(MultipartReceiver.PARTS, word(number, sent));
    return true;
  }
}
