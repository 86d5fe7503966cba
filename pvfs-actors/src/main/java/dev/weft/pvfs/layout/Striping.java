package dev.weft.pvfs.layout;

/**
 * The layout of a file on the I/O daemons. Its bytes are cut into stripes of one size, which go round {@code count} daemons; daemon {@code base} gets
 * the first. A daemon keeps its stripes of a file one after the other in one local object; an offset in that object is called <em>local</em>.
 *
 * @param base daemon that has the first stripe, 0 to {@code daemons - 1}
 * @param count daemons that have stripes, 1 to {@code daemons}
 * @param stripeBytes 1 to {@link #STRIPE_BYTES_MAX}
 * @param daemons I/O daemons of the file system when the file was made, 1 to {@link #DAEMONS_MAX}
 */
public record Striping(int base, int count, int stripeBytes, int daemons) {
  /** The default stripe size, that of PVFS 1.x. */
  public static final int STRIPE_BYTES_DEFAULT = 65_536;
  public static final int STRIPE_BYTES_MAX = 1 << 30;
  /** The maximum of PVFS 1.x. */
  public static final int DAEMONS_MAX = 512;
  /** The longest file: an offset up to here plus the length of a request does not overflow. */
  public static final long FILE_BYTES_MAX = Long.MAX_VALUE - (1L << 32);

  public Striping {
    check("daemons", daemons, 1, DAEMONS_MAX);
    check("base", base, 0, daemons - 1);
    check("count", count, 1, daemons);
    check("stripe size", stripeBytes, 1, STRIPE_BYTES_MAX);
  }

  private static void check(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(what + " is " + value + ", must be from " + min + " to " + max);
    }
  }

  /** Returns which of the file's {@link #count} daemons has the byte; 0 is {@code base}. */
  public int slotOf(long offset) {
    return (int) (offset / stripeBytes % count);
  }

  /** Returns the daemon of a slot, 0 to {@code daemons - 1}. */
  public int daemonOf(int slot) {
    return (base + slot) % daemons;
  }

  /** Returns the offset of the byte in the local object of its daemon. */
  public long localOf(long offset) {
    long stripe = offset / stripeBytes;
    return stripe / count * stripeBytes + offset % stripeBytes;
  }

  /** Returns the offset in the file of the byte that a slot keeps at {@code local}: the inverse of {@link #slotOf} and {@link #localOf}. */
  public long offsetOf(int slot, long local) {
    return (local / stripeBytes * count + slot) * stripeBytes + local % stripeBytes;
  }

  /** Returns the bytes from {@code offset} to the end of its stripe. */
  public long restOfStripe(long offset) {
    return stripeBytes - offset % stripeBytes;
  }

  /** Returns how many of the file's first {@code fileBytes} a slot has, holes included: the length of its local object. */
  public long localBytes(int slot, long fileBytes) {
    long whole = fileBytes / stripeBytes;
    long rounds = whole / count;
    long left = whole % count;
    return rounds * stripeBytes + (slot < left ? stripeBytes : slot == left ? fileBytes % stripeBytes : 0);
  }

  /**
   * Returns the length of a file whose furthest byte is the last one of the local object of {@code slot}, which has {@code localBytes}; 0 if that is
   * empty.
   */
  public long fileBytes(int slot, long localBytes) {
    return localBytes == 0 ? 0 : offsetOf(slot, localBytes - 1) + 1;
  }
}
