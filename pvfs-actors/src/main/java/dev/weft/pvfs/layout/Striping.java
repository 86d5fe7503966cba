package dev.weft.pvfs.layout;

/**
 * How a file lies on the I/O daemons: its bytes are cut into stripes of one size, which go round {@code count} daemons, the first to daemon {@code base}.
 * A daemon keeps its stripes of a file one after the other in one local object; an offset in that is a <em>local</em> one.
 *
 * @param base daemon that has the first stripe, 0 to {@code daemons - 1}
 * @param count daemons that have stripes, 1 to {@code daemons}
 * @param stripeBytes 1 to {@link #STRIPE_BYTES_MAX}
 * @param daemons I/O daemons of the file system when the file was made, 1 to {@link #DAEMONS_MAX}
 */
public record Striping(int base, int count, int stripeBytes, int daemons) {
  /** Of a file that was made without a wish; that of PVFS 1.x. */
  public static final int STRIPE_BYTES_DEFAULT = 65_536;
  public static final int STRIPE_BYTES_MAX = 1 << 30;
  /** As many as PVFS 1.x had. */
  public static final int DAEMONS_MAX = 512;
  /** Longest file: offsets up to here can be told from negative numbers and added to the length of a request. */
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

  /** Which of the {@link #count} daemons of the file has the byte, 0 being {@code base}. */
  public int slotOf(long offset) {
    return (int) (offset / stripeBytes % count);
  }

  /** The daemon of a slot, 0 to {@code daemons - 1}. */
  public int daemonOf(int slot) {
    return (base + slot) % daemons;
  }

  /** Where the byte is in the local object of the daemon that has it. */
  public long localOf(long offset) {
    long stripe = offset / stripeBytes;
    return stripe / count * stripeBytes + offset % stripeBytes;
  }

  /** The byte of the file that a slot keeps at {@code local}: the inverse of {@link #slotOf} and {@link #localOf}. */
  public long offsetOf(int slot, long local) {
    return (local / stripeBytes * count + slot) * stripeBytes + local % stripeBytes;
  }

  /** Bytes from {@code offset} to the end of its stripe. */
  public long restOfStripe(long offset) {
    return stripeBytes - offset % stripeBytes;
  }

  /** Bytes that a slot has of the file's first {@code fileBytes}, holes counted: the length of its local object. */
  public long localBytes(int slot, long fileBytes) {
    long whole = fileBytes / stripeBytes;
    long rounds = whole / count;
    long left = whole % count;
    return rounds * stripeBytes + (slot < left ? stripeBytes : slot == left ? fileBytes % stripeBytes : 0);
  }

  /** Length of a file of which the local object of {@code slot} is the one that reaches furthest, with {@code localBytes}; 0 if it is empty. */
  public long fileBytes(int slot, long localBytes) {
    return localBytes == 0 ? 0 : offsetOf(slot, localBytes - 1) + 1;
  }
}
