package dev.weft.pvfs.wire;

/** How the data of a request moves (seed 002 section 4.3 to 4.5). The order is that of the wire. */
public enum Band {
  /** In the message, by Send/Recv, with a copy on each side. */
  INLINE,
  /** By RDMA Write with immediate together with the message, into a buffer that the receiver has lent the connection. */
  FAST,
  /** By the daemon: RDMA Read for a write, RDMA Write for a read. */
  SERVER,
  /** By the client, to or from a buffer that the daemon lends it for this request. */
  CLIENT;

  private static final Band[] ALL = values();

  /** Whether data lies behind the request of a write, and behind the answer of a read. */
  public boolean hasDataBehind() {
    return this == INLINE || this == FAST;
  }

  /** Null for a code that is none. */
  static Band of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
