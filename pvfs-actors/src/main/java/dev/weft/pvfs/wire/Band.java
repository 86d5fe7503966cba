package dev.weft.pvfs.wire;

/** How the data of a request moves (seed 002 section 4.3 to 4.5). The order is that of the wire. */
public enum Band {
  /** In the message, by Send/Recv, with a copy on each side. */
  INLINE,
  /** By RDMA Write with immediate together with the message, into a buffer that the receiver has lent the connection. */
  FAST,
  /** By the daemon: RDMA Read for a write, RDMA Write for a read. */
  SERVER;

  private static final Band[] ALL = values();

  /** Null for a code that is none. */
  static Band of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : null;
  }
}
