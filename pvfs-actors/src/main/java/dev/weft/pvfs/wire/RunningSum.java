package dev.weft.pvfs.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of bytes that come one after the other, of pieces of which the CRC32C is known without looking at them, too. Used again. One thread. */
public final class RunningSum {
  /** Of CRC32C, bit 31 for x^0. */
  private static final int POLYNOMIAL = 0x82f63b78;
  private static final int ONE = 1 << 31;
  /** x^(2^n). */
  private static final int[] POWERS = powers();

  /** Of what came before {@link #rest}. */
  private int before;
  private final CRC32C rest = new CRC32C();
  private long restBytes;

  private static int[] powers() {
    int[] powers = new int[Long.SIZE];
    powers[0] = ONE >>> 1;
    for (int i = 1; i < powers.length; i++) {
      powers[i] = times(powers[i - 1], powers[i - 1]);
    }
    return powers;
  }

  /** The product of two polynomials over GF(2), modulo that of CRC32C. */
  private static int times(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int left = a; left != 0; left <<= 1) {
      product ^= left < 0 ? shifted : 0;
      shifted = (shifted & 1) == 0 ? shifted >>> 1 : shifted >>> 1 ^ POLYNOMIAL;
    }
    return product;
  }

  /** The CRC32C of one piece and another, so long, behind it. */
  private static int join(int one, int other, long otherBytes) {
    if (one == 0) { // Of nothing, as before every request that is looked at as a whole: it stays so, however far it is moved.
      return other;
    }
    int shift = ONE;
    for (int bit = 0; otherBytes >>> bit != 0; bit++) {
      shift = (otherBytes >>> bit & 1) == 0 ? shift : times(POWERS[bit + 3], shift);
    }
    return times(one, shift) ^ other;
  }

  /** Of nothing. */
  public void reset() {
    before = 0;
    rest.reset();
    restBytes = 0;
  }

  /** Adds what remains in the buffer. */
  public void update(ByteBuffer bytes) {
    restBytes += bytes.remaining();
    rest.update(bytes);
  }

  /** Adds so many bytes, by their CRC32C. */
  public void add(int sum, long bytes) {
    before = join(value(), sum, bytes);
    rest.reset();
    restBytes = 0;
  }

  /** The CRC32C of all so far. */
  public int value() {
    return join(before, (int) rest.getValue(), restBytes);
  }
}
