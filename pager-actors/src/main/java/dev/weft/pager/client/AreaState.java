package dev.weft.pager.client;

/** The state of an area of a device. */
public enum AreaState {
  /** Its server serves it. */
  READY,
  /** The connection to its server is lost, and the client is reconnecting; requests wait for a limited time. */
  DEGRADED,
  /** Requests fail with EIO until the client reaches the same incarnation of its server again, or until the area is replaced. */
  LOST
}
