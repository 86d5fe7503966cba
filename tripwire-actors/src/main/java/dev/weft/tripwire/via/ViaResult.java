package dev.weft.tripwire.via;

/** Why a call to the provider did not succeed. */
public enum ViaResult {
  INVALID_PARAMETER,
  /** A limit is reached: queue, completion queue, VIs; or something is still in use. */
  ERROR_RESOURCE,
  TIMEOUT,
  /** The other side has rejected the connection. */
  REJECT,
  /** Nobody waits there for that discriminator. */
  NO_MATCH,
  /** There is no such host. */
  NOT_REACHABLE,
  INVALID_STATE,
  INVALID_RELIABILITY_LEVEL,
  /** The VIs do not agree on the longest transfer. */
  INVALID_MTU,
  INVALID_PTAG
}
