package dev.weft.tripwire.message;

import dev.weft.tripwire.nic.Nic;
import java.lang.foreign.MemorySegment;

/** The receiving end of a byte stream; see {@link StreamSender}. */
public final class StreamReceiver extends End {
  static final long LAZY_WRITTEN = 0;
  static final long BUFFER = 64;

  private final int capacity;
  private long read;

  /** A receiver with a buffer of {@code capacity} bytes, 1 or more. */
  public StreamReceiver(Nic nic, int capacity) {
    this.capacity = capacity;
    super(nic, BUFFER + capacity, LAZY_WRITTEN);
  }

  /**
   * Number of bytes that can be read now.
   *
   * @throws dev.weft.tripwire.nic.NicException INVALID if the other end has written an impossible length
   */
  public int available() {
    return checked("what was written and not read", word(LAZY_WRITTEN) - read, capacity);
  }

  /** Reads up to {@code length} bytes; returns their number, 0 if there are none now. Throws as {@link #available} does. */
  public int read(MemorySegment target, long offset, int length) {
    int at = (int) (read % capacity);
    int count = Math.min(Math.min(length, available()), capacity - at);
    if (count > 0) {
      MemorySegment.copy(memory, BUFFER + at, target, offset, count);
      read += count;
      writeWord(0, read); // A pending word is an older value of the same word.
    }
    return count;
  }
}
