package dev.weft.tripwire.nic;

/** 64-bit network addresses: the number of an aperture or mapping, and an offset. */
public final class NetworkAddress {
  static final int OFFSET_BITS = 40;
  public static final long OFFSET_LIMIT = 1L << OFFSET_BITS;
  /** Numbers are below this; 0 means none. */
  static final int NUMBER_LIMIT = 1 << 21;

  private NetworkAddress() {}

  public static long of(int number, long offset) {
    return (long) number << OFFSET_BITS | offset;
  }

  public static int number(long address) {
    return (int) (address >>> OFFSET_BITS);
  }

  public static long offset(long address) {
    return address & OFFSET_LIMIT - 1;
  }
}
