package dev.weft.pvfs.wire;

/** What a client may ask of an I/O daemon. The order is that of the wire. */
public enum DaemonOp {
  READ,
  WRITE,
  /** How long the local object is. */
  STAT,
  /** Cuts or extends the local object to the first offset of the request. */
  TRUNCATE,
  /** Deallocates the request's ranges, which read as zeros from then on; the length stays. */
  PUNCH,
  /** Forgets the local object. */
  REMOVE,
  /** All that was answered before is on disk when this is. */
  SYNC,
  /** Room that there is. */
  STATFS,
  /** Extends the local object to the first offset of the request, if it is shorter. */
  EXTEND,
  /**
   * Which local objects there are: the first range of the request is the cookie of the page, 0 for the first one, and the most bytes that it may have. The
   * answer has the number and the length of each object, 8 bytes each; its length is the cookie of the next page, 0 where there is none.
   */
  LIST,
  /**
   * Reads what the local object has from the offset of the request's range on, at most as much as that is long but for a block, and checks what was written
   * down of it; what has nothing is passed over, however long it is. The bytes of the answer are the number of blocks that are bad, its length is where to go
   * on, 0 at the end of the object. Mends nothing.
   */
  SCRUB;

  private static final DaemonOp[] ALL = values();

  /** Null for a code that is none. */
  static DaemonOp of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
