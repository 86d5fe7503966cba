package dev.weft.tripwire.via;

/** Receives errors that belong to no call; on the hardware thread. */
@FunctionalInterface
public interface ViaErrorHandler {
  /** Kind of error. */
  enum Code {
    /** The other side has disconnected, failed or left. */
    CONN_LOST,
    /** A send found no receive in time. */
    RECVQ_EMPTY,
    /** The other host refused an RDMA write. */
    RDMAW_PROT,
    /** A descriptor was invalid; its status gives the reason. */
    POST_DESC
  }

  /** The VI is in the error state now. */
  void onError(Vi vi, Code code);
}
