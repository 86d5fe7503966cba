package dev.weft.tripwire.via;

/** What became of a descriptor. */
public enum ViaStatus {
  /** Posted, and not done. */
  PENDING,
  SUCCESS,
  /** The message is longer than the receive it met. */
  LENGTH_ERROR,
  /** Memory that is not registered, is registered with another tag, or does not have that range. */
  PROTECTION_ERROR,
  /** The remote memory of an RDMA write does not have that range, or its cookie does not allow it. */
  RDMA_PROTECTION_ERROR,
  /** Too many segments, more bytes than the VI transfers at once, or an operation that the queue does not do. */
  FORMAT_ERROR,
  /** The receive at the other side was bad. */
  REMOTE_DESCRIPTOR_ERROR,
  /** The connection was lost, or the other side had no receive posted. */
  TRANSPORT_ERROR,
  /** The VI is not connected any more, or yet. */
  DESCRIPTOR_FLUSHED
}
