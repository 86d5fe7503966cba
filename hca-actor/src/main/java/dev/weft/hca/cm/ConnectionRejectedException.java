package dev.weft.hca.cm;

/** A connection failed. It carries the arguments of {@link ConnectionObserver#onRejected}. */
public final class ConnectionRejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RejectReason reason;
  private final transient byte[] privateData;

  ConnectionRejectedException(String peer, RejectReason reason, byte[] privateData) {
    super(peer + ": " + reason + switch (reason) {
      case CONSUMER -> ", its consumer said no, or a queue pair was not there any more";
      case INVALID_SERVICE_ID -> ", nobody listens to that service there";
      case UNKNOWN_NODE -> ", no such node is on the fabric";
      case TIMEOUT -> ", no answer in time";
      case CLOSED -> ", the own node was closed";
      case NO_RESOURCES -> ", a node has as many connections as it may have";
    });
    this.reason = reason;
    this.privateData = privateData;
  }

  public RejectReason reason() {
    return reason;
  }

  /** The peer's private data; may be empty. */
  public byte[] privateData() {
    return privateData == null ? new byte[0] : privateData.clone();
  }
}
