package dev.weft.hca.cm;

/** Why a connection was not made. */
public enum RejectReason {
  /** The listener said no. */
  CONSUMER,
  /** Nobody listens to that service on that node. */
  INVALID_SERVICE_ID,
  /** No node of that name is known. */
  UNKNOWN_NODE,
  /** No answer within the connection time-out. */
  TIMEOUT,
  /** The listener's backlog of unanswered requests is full. */
  NO_RESOURCES
}
