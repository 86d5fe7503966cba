package dev.weft.tripwire.via;

/** Told of errors that belong to no call; on the hardware thread. */
@FunctionalInterface
public interface ViaErrorHandler {
  /** What happened. */
  enum Code {
    /** The other side has disconnected, failed or gone. */
    CONN_LOST,
    /** A send met no receive in time. */
    RECVQ_EMPTY,
    /** The other host refused an RDMA write. */
    RDMAW_PROT,
    /** A descriptor was bad; its status says why. */
    POST_DESC
  }

  /** The VI is in the error state now. */
  void onError(Vi vi, Code code);
}
