package dev.weft.fabric.packet;

/**
 * Counts bytes of payload that were copied. {@link Payload#copyTo} requires one, so that every copy is counted. Only the hardware thread
 * adds to it. The number is not volatile: other threads may read a slightly old value.
 */
public final class CopyCounter {
  private final CopyCounter total;
  private long bytes;

  public CopyCounter() {
    this(null);
  }

  /** Makes one of several counters whose sum is {@code total}. */
  public CopyCounter(CopyCounter total) {
    this.total = total;
  }

  /** Counts a copy that {@link Payload#copyTo} did not make. */
  public void add(int lengthBytes) {
    bytes += lengthBytes;
    if (total != null) {
      total.add(lengthBytes);
    }
  }

  /** Returns the bytes copied so far. A byte that was copied twice counts twice. */
  public long bytes() {
    return bytes;
  }
}
