package dev.weft.fabric.packet;

/**
 * Counts bytes of payload that were copied. {@link Payload#copyTo} wants one, so that there is no copy that nobody counts. A plain
 * number, owned by the hardware thread; from other threads a moment old.
 */
public final class CopyCounter {
  private final CopyCounter total;
  private long bytes;

  public CopyCounter() {
    this(null);
  }

  /** One of several whose sum is {@code total}. */
  public CopyCounter(CopyCounter total) {
    this.total = total;
  }

  /** Counts a copy that was made otherwise than by {@link Payload#copyTo}. */
  public void add(int lengthBytes) {
    bytes += lengthBytes;
    if (total != null) {
      total.add(lengthBytes);
    }
  }

  /** Bytes copied so far; a byte that was copied twice counts twice. */
  public long bytes() {
    return bytes;
  }
}
