package dev.weft.tripwire.nic;

/** The result of an operation of a NIC. */
public enum Status {
  OK,
  /** The arguments are wrong, or the object is closed. */
  INVALID,
  /** A limit of this NIC is reached. */
  EXHAUSTED,
  /** The aperture does not exist any more, or has another key: it was revoked, or the descriptor is forged. */
  REVOKED,
  /** The descriptor or the page does not give that right. */
  DENIED,
  /** Beyond the end of the aperture. */
  OUT_OF_RANGE,
  /** The owner's NIC had no room for the request; try again later. */
  BUSY,
  /** No endpoint has that port. */
  NO_ENDPOINT,
  /** Data was lost on the way, so nothing after it is taken; map the descriptor again. */
  BROKEN,
  /** No answer came in time. */
  TIMED_OUT,
  /** The other host has left the fabric. */
  PEER_LOST,
  /** The NIC could not handle it in time. */
  UNRESPONSIVE;

  private static final Status[] ALL = values();

  public static Status of(int code) {
    return code >= 0 && code < ALL.length ? ALL[code] : INVALID;
  }
}
