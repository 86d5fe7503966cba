package dev.weft.fabric.packet;

/** AETH syndrome values (specification volume 1, section 9.7.5.2): kind in bits 6 to 5, value in bits 4 to 0. */
public final class Aeth {
  /** Positive acknowledgement. The value is a credit count; 31 means that credits are not used. */
  public static final int ACK = 0x00;
  public static final int RNR_NAK = 0x20;
  public static final int NAK = 0x60;
  public static final int CREDIT_INVALID = 0x1f;

  public static final int NAK_PSN_SEQUENCE_ERROR = NAK;
  public static final int NAK_INVALID_REQUEST = NAK | 1;
  public static final int NAK_REMOTE_ACCESS_ERROR = NAK | 2;
  public static final int NAK_REMOTE_OPERATIONAL_ERROR = NAK | 3;
  public static final int NAK_INVALID_RD_REQUEST = NAK | 4;

  private Aeth() {}

  /** Returns {@link #ACK}, {@link #RNR_NAK} or {@link #NAK}. */
  public static int kind(int syndrome) {
    return syndrome & 0x60;
  }

  /** Returns the credit count, RNR timer code or NAK code. */
  public static int value(int syndrome) {
    return syndrome & 0x1f;
  }
}
