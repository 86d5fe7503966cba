package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import dev.weft.tripwire.nic.Tripwire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The receiving end of messages of several parts (CLAN, section 4.3): a header with the lengths of the parts, then the parts in order. {@link #ready}
 * fires when the header arrives, {@link #bodyReady} when a part arrives, so a thread can wake and read the header while the body is still on its way.
 */
public final class MultipartReceiver extends End {
  static final long HEADER = 0;
  static final long PARTS = 8;
  static final long TABLE = 64;
  private static final int PARTS_MAX = 1024;

  private final Tripwire bodyReady;
  private final int partsMax;
  private final int headerMaxBytes;
  private final int headerAt;
  private final int bodyAt;
  private int taken;

  /** A receiver of messages with at most {@code partsMax} parts, 1 to 1024, of at most {@code bodyMaxBytes} in total. */
  public MultipartReceiver(Nic nic, int partsMax, int headerMaxBytes, int bodyMaxBytes) {
    this.partsMax = partsMax;
    this.headerMaxBytes = headerMaxBytes;
    headerAt = headerAt(partsMax);
    bodyAt = bodyAt(partsMax, headerMaxBytes);
    super(nic, bodyAt(partsMax, headerMaxBytes) + (long) bodyMaxBytes, HEADER);
    bodyReady = tripwire(PARTS, Long.BYTES);
  }

  static int headerAt(int partsMax) {
    if (partsMax < 1 || partsMax > PARTS_MAX) {
      throw new IllegalArgumentException(partsMax + " parts; a message has 1 to " + PARTS_MAX);
    }
    return (int) TABLE + Integer.BYTES * (1 + partsMax);
  }

  static int bodyAt(int partsMax, int headerMaxBytes) {
    if (headerMaxBytes < 0) {
      throw new IllegalArgumentException("a header of at most " + headerMaxBytes + " bytes");
    }
    return padded(headerAt(partsMax) + headerMaxBytes);
  }

  /** Parts begin at multiples of 8. */
  static int padded(int bytes) {
    return bytes + 7 & ~7;
  }

  /** Fires when a part has arrived; the caller arms it. */
  public Tripwire bodyReady() {
    return bodyReady;
  }

  private boolean hasHeader() {
    return MultipartSender.numberOf(word(HEADER)) == taken + 1;
  }

  /**
   * The header of the arriving message, in place; null if there is none. Valid until {@link #release}.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID if the other end has written an impossible length
   */
  public MemorySegment header() {
    if (!hasHeader()) {
      return null;
    }
    int length = checked("a header", MultipartSender.countOf(word(HEADER)), headerMaxBytes);
    return memory.asSlice(headerAt, length).asReadOnly();
  }

  /**
   * Number of parts of the message whose header has arrived; 0 if there is none.
   *
   * @throws NicException INVALID if the other end has written an impossible number
   */
  public int partCount() {
    return hasHeader() ? checkedCount(memory.get(ValueLayout.JAVA_INT, TABLE)) : 0;
  }

  /** Number of its parts that have arrived. Throws as {@link #partCount} does. */
  public int partsReady() {
    long parts = word(PARTS);
    return MultipartSender.numberOf(parts) == taken + 1 ? checkedCount(MultipartSender.countOf(parts)) : 0;
  }

  private int checkedCount(int count) {
    if (count < 0 || count > partsMax) {
      throw new NicException(Status.INVALID, "the other end speaks of " + count + " parts, want 0 to " + partsMax);
    }
    return count;
  }

  /** A part, in place; null if it has not arrived. Valid until {@link #release}. Throws as {@link #header} does. */
  public MemorySegment part(int index) {
    if (index >= partsReady()) {
      return null;
    }
    long at = bodyAt;
    for (int i = 0; i < index; i++) {
      at += padded(checked("a part", length(i), memory.byteSize() - at));
    }
    return message("a part", at, length(index));
  }

  private int length(int part) {
    return memory.get(ValueLayout.JAVA_INT, TABLE + Integer.BYTES * (1L + part));
  }

  /**
   * Releases the message: the sender may send the next one.
   *
   * @throws IllegalStateException if some parts have not arrived
   */
  public void release() {
    if (!hasHeader() || partsReady() < partCount()) {
      throw new IllegalStateException(partsReady() + " of " + partCount() + " parts are there; a message is released as a whole");
    }
    writeWord(0, ++taken); // A pending word is an older value of the same word.
  }

  @Override
  public void close() {
    bodyReady.close();
    super.close();
  }
}
