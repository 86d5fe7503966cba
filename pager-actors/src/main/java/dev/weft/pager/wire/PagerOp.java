package dev.weft.pager.wire;

/** The operations of a memory server. */
public enum PagerOp {
  /** The server writes the range to the client's buffer by RDMA Write (swap-in). */
  READ,
  /** The server reads the range from the client's buffer by RDMA Read (swap-out). */
  WRITE,
  /** The client no longer needs the range; it reads as zeros afterwards. */
  TRIM,
  /** The server fills the range with zeros; the range stays allocated. */
  ZERO,
  /** The server reports which parts of the range are holes. */
  STATUS,
  /** The server only replies, to confirm that it still has the acknowledged data. */
  FLUSH;

  private static final PagerOp[] VALUES = values();

  /** Returns the operation of this code, or null. */
  public static PagerOp of(int code) {
    return code >= 0 && code < VALUES.length ? VALUES[code] : null;
  }

  public int code() {
    return ordinal();
  }

  /** Whether the operation changes the data of its range. */
  public boolean changesData() {
    return this == WRITE || this == TRIM || this == ZERO;
  }

  /** The number of operations. */
  public static int count() {
    return VALUES.length;
  }
}
