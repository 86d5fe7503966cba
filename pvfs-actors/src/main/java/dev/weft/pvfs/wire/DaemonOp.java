package dev.weft.pvfs.wire;

/** Operations of an I/O daemon. The order is that of the wire. */
public enum DaemonOp {
  READ,
  WRITE,
  /** Returns the length of the local object. */
  STAT,
  /** Cuts or extends the local object to the first offset of the request. */
  TRUNCATE,
  /** Deallocates the request's ranges, which read as zeros from then on; the length stays. */
  PUNCH,
  /** Removes the local object. */
  REMOVE,
  /** Answers when all that was answered before is on disk. */
  SYNC,
  /** Returns the space of the daemon. */
  STATFS,
  /** Extends the local object to the first offset of the request, if it is shorter. */
  EXTEND,
  /**
   * Lists the local objects. The first range of the request has the cookie of the page (0 for the first one) and its maximum bytes. The answer has
   * the number and the length of each object, 8 bytes each; the answer's length field is the cookie of the next page, 0 after the last one.
   */
  LIST,
  /**
   * Compares data of the local object with its checksums, from the beginning of the request's range on. It reads at most as much as the range is
   * long, rounded up to a block, and skips holes of any length. The bytes of the answer are the number of bad blocks. Its length field is the offset
   * to continue from, 0 at the end of the object. Repairs nothing.
   */
  SCRUB;

  private static final DaemonOp[] ALL = values();

  /** Returns null for an unknown code. */
  static DaemonOp of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
