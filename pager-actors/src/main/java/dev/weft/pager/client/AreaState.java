package dev.weft.pager.client;

/** How an area of a device stands. */
public enum AreaState {
  /** Its server serves it. */
  READY,
  /** The connection to its server is lost and being made anew; requests wait, for a bounded time. */
  DEGRADED,
  /** Requests are answered EIO, until the same incarnation of its server is there again, or the area is replaced. */
  LOST
}
