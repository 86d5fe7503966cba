package dev.weft.hca.verbs;

/**
 * A memory window: remote access to a part of a region, given and taken back without registering anything (specification volume 1,
 * sections 10.6.7 and 10.6.8). Through its key no local work request may be made.
 *
 * <p>Type 1 is bound by {@link Hca#bindMw}, with a key that the HCA draws; every queue pair of the domain may be used for it, binding
 * again takes the former key back. Type 2 is bound by a BIND_MW work request with a key of the consumer's choice; only the queue pair
 * that bound it may be used, and it has to be invalidated (by LOCAL_INV, or by the peer's SEND_WITH_INV) before it is bound again.
 */
public interface MemoryWindow {
  /** How a window is bound and whom it serves. */
  enum Type {
    TYPE_1,
    TYPE_2
  }

  ProtectionDomain pd();

  Type type();

  /**
   * The key of the last binding, also if it is not valid any more. Before the first: 0 for type 1; for type 2 the key whose upper 24
   * bits all keys of this window have.
   */
  int rkey();

  /** Type 2: the key to bind with next; it differs from {@link #rkey} in the low byte, as {@code ibv_inc_rkey} has it. */
  int nextRkey();

  /** Whether the window gives access at this moment. */
  boolean isBound();
}
