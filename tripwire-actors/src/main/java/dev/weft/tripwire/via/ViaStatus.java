package dev.weft.tripwire.via;

/** The result of a descriptor. */
public enum ViaStatus {
  /** Posted, but not done. */
  PENDING,
  SUCCESS,
  /** The message is longer than its receive. */
  LENGTH_ERROR,
  /** Memory that is not registered, is registered with another tag, or does not have that range. */
  PROTECTION_ERROR,
  /** The remote memory of an RDMA write does not have that range, or its cookie does not allow it. */
  RDMA_PROTECTION_ERROR,
  /** Too many segments, more bytes than the VI's longest message, or an operation that the queue does not support. */
  FORMAT_ERROR,
  /** The receive at the other side was invalid. */
  REMOTE_DESCRIPTOR_ERROR,
  /** The connection was lost, or the other side had no receive posted. */
  TRANSPORT_ERROR,
  /** The VI is not connected yet, or not any more. */
  DESCRIPTOR_FLUSHED
}
