package dev.weft.hca.verbs;

/**
 * The destination of datagrams: the LID of a port or of a multicast group, and the service level of the path to it; as {@code ibv_ah}. {@link
 * Hca#createAh} creates it. Any thread. Posting copies it, so it may be destroyed while requests that use it are still queued.
 */
public interface AddressHandle {
  ProtectionDomain pd();

  int destLid();

  int serviceLevel();

  /** Whether the handle is destroyed. */
  boolean isDestroyed();
}
