package dev.weft.hca.transport;

/** Arithmetic on 24-bit packet sequence numbers (specification volume 1, section 9.7.1). */
public final class Psn {
  /** Packets of the longest message. */
  static final int PER_MESSAGE_MAX = 1 << 22;
  public static final int MASK = 0xffffff;
  /** Packets that may be outstanding: half of the number space, so that old and new can be told apart. */
  static final int WINDOW_MAX = 1 << 23;

  private Psn() {}

  static int add(int psn, int count) {
    return (psn + count) & MASK;
  }

  /** Signed distance from {@code b} to {@code a}: positive if {@code a} is the later one. */
  static int diff(int a, int b) {
    return ((a - b) << 8) >> 8;
  }
}
