package dev.weft.hca.cm;

import dev.weft.hca.QueuePair;

/** A connection request waiting for {@link #accept} or {@link #reject}, exactly one of them, once. */
public interface ConnectionRequest {
  /** Name of the node that asks. */
  String peerNode();

  /** What it said, at most {@link ConnectionManager#PRIVATE_DATA_BYTES_MAX} bytes. */
  byte[] privateData();

  /** Accepts with a queue pair in RESET; receives may be posted once it is in INIT, which this call sees to first. */
  void accept(QueuePair qp, ConnectionOptions options, byte[] privateData, ConnectionObserver observer);

  void reject(byte[] privateData);
}
