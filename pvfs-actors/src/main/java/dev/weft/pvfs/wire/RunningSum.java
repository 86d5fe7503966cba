package dev.weft.pvfs.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C of consecutive bytes. Also accepts pieces by their known CRC32C, without reading them. Reusable. One thread. */
public final class RunningSum {
  /** The polynomial of CRC32C; bit 31 is x^0. */
  private static final int POLYNOMIAL = 0x82f63b78;
  private static final int ONE = 1 << 31;
  /** x^(2^n). */
  private static final int[] POWERS = powers();

  /** Sum of the bytes before {@link #rest}. */
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

  /** Multiplies two polynomials over GF(2), modulo that of CRC32C. */
  private static int times(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int left = a; left != 0; left <<= 1) {
      product ^= left < 0 ? shifted : 0;
      shifted = (shifted & 1) == 0 ? shifted >>> 1 : shifted >>> 1 ^ POLYNOMIAL;
    }
    return product;
  }

  /** Returns the CRC32C of two consecutive pieces. */
  private static int join(int one, int other, long otherBytes) {
    if (one == 0) { // The sum of no bytes, as at the beginning of a request whose data is summed directly: shifting it gives 0 again.
      return other;
    }
    int shift = ONE;
    for (int bit = 0; otherBytes >>> bit != 0; bit++) {
      shift = (otherBytes >>> bit & 1) == 0 ? shift : times(POWERS[bit + 3], shift);
    }
    return times(one, shift) ^ other;
  }

  /** Resets to the sum of no bytes. */
  public void reset() {
    before = 0;
    rest.reset();
    restBytes = 0;
  }

  /** Adds the remaining bytes of the buffer. */
  public void update(ByteBuffer bytes) {
    restBytes += bytes.remaining();
    rest.update(bytes);
  }

  /** Adds so many bytes, given their CRC32C. */
  public void add(int sum, long bytes) {
    before = join(value(), sum, bytes);
    rest.reset();
    restBytes = 0;
  }

  /** Returns the CRC32C of all bytes so far. */
  public int value() {
    return join(before, (int) rest.getValue(), restBytes);
  }
}
