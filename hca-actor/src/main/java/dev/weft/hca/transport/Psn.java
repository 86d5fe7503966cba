package dev.weft.hca.transport;

/** Arithmetic on 24-bit packet sequence numbers (specification volume 1, section 9.7.1). */
public final class Psn {
  /** The number of packets of the longest message. */
  static final int PER_MESSAGE_MAX = 1 << 22;
  public static final int MASK = 0xffffff;
  /** The largest number of outstanding packets: half of the number space, so that old and new numbers can be distinguished. */
  static final int WINDOW_MAX = 1 << 23;

  private Psn() {}

  static int add(int psn, int count) {
    return (psn + count) & MASK;
  }

  /** Returns the signed distance from {@code b} to {@code a}: positive if {@code a} is later. */
  static int diff(int a, int b) {
    return ((a - b) << 8) >> 8;
  }
}
