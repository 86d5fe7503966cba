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
  EXTEND;

  private static final DaemonOp[] ALL = values();

  /** Null for a code that is none. */
  static DaemonOp of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
