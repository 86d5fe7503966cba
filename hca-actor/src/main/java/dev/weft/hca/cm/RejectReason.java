package dev.weft.hca.cm;

/** Why a connection was not made. */
public enum RejectReason {
  /** A consumer said no, or its queue pair was not there any more when the other side had answered. */
  CONSUMER,
  /** Nobody listens to that service on that node. */
  INVALID_SERVICE_ID,
  /** No node of that name is known. */
  UNKNOWN_NODE,
  /** No answer within the connection time-out. */
  TIMEOUT,
  /** A node has as many connections as it may have. */
  NO_RESOURCES,
  /** The own node was closed. */
  CLOSED
}
