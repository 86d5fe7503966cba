package dev.weft.tripwire.via;

/** Why a call to the provider failed. */
public enum ViaResult {
  INVALID_PARAMETER,
  /** A limit of a queue, a completion queue or the VIs is reached; or the object is still in use. */
  ERROR_RESOURCE,
  TIMEOUT,
  /** The other side has rejected the connection. */
  REJECT,
  /** No application waits there for that discriminator. */
  NO_MATCH,
  /** There is no such host. */
  NOT_REACHABLE,
  INVALID_STATE,
  INVALID_RELIABILITY_LEVEL,
  /** The VIs do not agree on the longest transfer. */
  INVALID_MTU,
  INVALID_PTAG
}
