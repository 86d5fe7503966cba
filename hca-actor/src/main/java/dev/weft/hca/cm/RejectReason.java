package dev.weft.hca.cm;

/** The reason why a connection or a look-up failed. */
public enum RejectReason {
  /** The peer's consumer rejected it, or a queue pair could not be brought up, for example because its consumer had destroyed it. */
  CONSUMER,
  /** The node has no service of that name. */
  INVALID_SERVICE_ID,
  /** No node of that name is on the fabric, or the node was closed or lost. */
  UNKNOWN_NODE,
  /** No answer came within the connection timeout. */
  TIMEOUT,
  /** A node has reached its limit of connections or look-ups. */
  NO_RESOURCES,
  /** The caller's own node was closed. */
  CLOSED
}
