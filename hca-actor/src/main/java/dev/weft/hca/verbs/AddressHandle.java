package dev.weft.hca.verbs;

/**
 * Where datagrams go: a LID, of a port or of a multicast group, and the service level of the path to it; as {@code ibv_ah}. Made by
 * {@link Hca#createAh}. Any thread; posting copies what it says, so it may be destroyed while requests that name it are still queued.
 */
public interface AddressHandle {
  ProtectionDomain pd();

  int destLid();

  int serviceLevel();

  /** Whether it was given back. */
  boolean isDestroyed();
}
