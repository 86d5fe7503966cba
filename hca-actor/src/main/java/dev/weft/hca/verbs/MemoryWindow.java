package dev.weft.hca.verbs;

/**
 * A memory window: remote access to a part of a region that can be granted and revoked without registering memory (specification volume 1,
 * sections 10.6.7 and 10.6.8). Local work requests cannot use its key.
 *
 * <p>{@link Hca#bindMw} binds a type 1 window, with a key that the HCA draws. Peers can use it through every queue pair of the domain. Binding it again
 * invalidates the old key. A BIND_MW work request binds a type 2 window, with a key of the consumer's choice. Peers can use it only through the queue
 * pair that bound it. It must be invalidated (by LOCAL_INV, or by the peer's SEND_WITH_INV) before it is bound again.
 */
public interface MemoryWindow {
  /** The two types of windows, see {@link MemoryWindow}. */
  enum Type {
    TYPE_1,
    TYPE_2
  }

  ProtectionDomain pd();

  Type type();

  /**
   * The key of the last binding, even if it is no longer valid. Before the first binding: 0 for type 1; for type 2 a key whose upper 24
   * bits all keys of this window share.
   */
  int rkey();

  /** For type 2: the key for the next binding. It differs from {@link #rkey} in the low byte, as with {@code ibv_inc_rkey}. */
  int nextRkey();

  /** Whether the window is bound now. */
  boolean isBound();
}
