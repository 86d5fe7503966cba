package dev.weft.pvfs.wire;

/** How the data of a request moves (PVFS over InfiniBand, sections 4.3 to 4.5). The order is that of the wire. */
public enum Band {
  /** In the message, by Send and Receive, with a copy on each side. */
  INLINE,
  /** Together with the message, by RDMA Write with immediate into a buffer that the receiver has lent the connection. */
  FAST,
  /** By the daemon: RDMA Read for a write, RDMA Write for a read. */
  SERVER,
  /** By the client, to or from a buffer that the daemon lends it for this request. */
  CLIENT;

  private static final Band[] ALL = values();

  /** Whether data follows the request of a write and the answer of a read. */
  public boolean hasDataBehind() {
    return this == INLINE || this == FAST;
  }

  /** Returns null for an unknown code. */
  static Band of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
