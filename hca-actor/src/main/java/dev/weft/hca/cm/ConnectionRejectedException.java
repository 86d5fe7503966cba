package dev.weft.hca.cm;

/** A connection failed. It carries the arguments of {@link ConnectionObserver#onRejected}. */
public final class ConnectionRejectedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RejectReason reason;
  private final transient byte[] privateData;

  ConnectionRejectedException(String peer, RejectReason reason, byte[] privateData) {
    super(peer + ": " + reason + switch (reason) {
      case CONSUMER -> ", the program there rejected it, or a queue pair was destroyed meanwhile";
      case INVALID_SERVICE_ID -> ", that node does not offer this service; check the name, or start the service first";
      case UNKNOWN_NODE -> ", the fabric has no node of this name";
      case TIMEOUT -> ", the connection was not established within weft.hca.cm.connect-timeout";
      case CLOSED -> ", the node of this JVM was closed";
      case NO_RESOURCES -> ", one of the two nodes has no room for another connection; raise weft.hca.cm.connections-max";
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
