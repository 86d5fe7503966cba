package dev.weft.pager.wire;

/** What a client asks of a memory server. */
public enum PagerOp {
  /** The server writes the range to the client's buffer by RDMA Write (swap-in). */
  READ,
  /** The server reads the range from the client's buffer by RDMA Read (swap-out). */
  WRITE,
  /** The range is not needed any more; it reads as zeros. */
  TRIM,
  /** The range reads as zeros and stays allocated. */
  ZERO,
  /** Which parts of the range are holes. */
  STATUS,
  /** Nothing but an answer: the server still has what it acknowledged. */
  FLUSH;

  private static final PagerOp[] VALUES = values();

  /** The operation of this code, or null. */
  public static PagerOp of(int code) {
    return code >= 0 && code < VALUES.length ? VALUES[code] : null;
  }

  public int code() {
    return ordinal();
  }

  /** Whether what is read afterwards is another. */
  public boolean changesData() {
    return this == WRITE || this == TRIM || this == ZERO;
  }

  /** Number of operations. */
  public static int count() {
    return VALUES.length;
  }
}
