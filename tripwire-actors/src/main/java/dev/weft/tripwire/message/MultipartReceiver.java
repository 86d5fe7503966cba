package dev.weft.tripwire.message;

import dev.weft.tripwire.Nic;
import dev.weft.tripwire.NicException;
import dev.weft.tripwire.Status;
import dev.weft.tripwire.Tripwire;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The receiving end of messages of several parts (seed 003 section 4.3): a header, which says how long the parts are, and then the parts
 * one after the other. {@link #ready} fires when the header is there, {@link #bodyReady} when a part is, so that waking up and reading
 * the header go on while the body is still on its way.
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

  /** A receiver of messages with at most {@code partsMax} parts, 1 to 1024, that together have at most {@code bodyMaxBytes}. */
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

  /** Fires when a part has come; armed by the caller. */
  public Tripwire bodyReady() {
    return bodyReady;
  }

  private boolean hasHeader() {
    return MultipartSender.numberOf(word(HEADER)) == taken + 1;
  }

  /**
   * The header of the message that is coming, in place; null if there is none. It stays until {@link #release}.
   *
   * @throws dev.weft.tripwire.NicException INVALID if the other end has written a length that cannot be
   */
  public MemorySegment header() {
    if (!hasHeader()) {
      return null;
    }
    int length = checked("a header", MultipartSender.countOf(word(HEADER)), headerMaxBytes);
    return memory.asSlice(headerAt, length).asReadOnly();
  }

  /**
   * Parts of the message whose header is there; 0 if there is none.
   *
   * @throws NicException INVALID if the other end has written a number that cannot be
   */
  public int partCount() {
    return hasHeader() ? checkedCount(memory.get(ValueLayout.JAVA_INT, TABLE)) : 0;
  }

  /** Parts of it that have come. Throws as {@link #partCount} does. */
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

  /** A part of it, in place; null if it has not come. It stays until {@link #release}. Throws as {@link #header} does. */
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
   * The message has been used: the sender may send the next.
   *
   * @throws IllegalStateException if parts of it have not come
   */
  public void release() {
    if (!hasHeader() || partsReady() < partCount()) {
      throw new IllegalStateException(partsReady() + " of " + partCount() + " parts are there; a message is released as a whole");
    }
    writeWord(0, ++taken); // What was owed is an older value of the same word.
  }

  @Override
  public void close() {
    bodyReady.close();
    super.close();
  }
}
