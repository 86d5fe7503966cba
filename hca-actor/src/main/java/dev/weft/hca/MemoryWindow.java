package dev.weft.hca;

/**
 * A memory window: remote access to a part of a region, given and taken back without registering anything (specification volume 1,
 * sections 10.6.7 and 10.6.8). Through its key no local work request may be made.
 *
 * <p>Type 1 is bound by {@link Hca#bindMw}, with a key that the HCA draws; every queue pair of the domain may be used for it, binding
 * again takes the former key back. Type 2 is bound by a BIND_MW work request with a key of the consumer's choice; only the queue pair
 * that bound it may be used, and it has to be invalidated (by LOCAL_INV, or by the peer's SEND_WITH_INV) before it is bound again.
 */
public final class MemoryWindow {
  /** How a window is bound and whom it serves. */
  public enum Type {
    TYPE_1,
    TYPE_2
  }

  private final ProtectionDomain pd;
  private final Type type;
  volatile int key;
  /** What it is bound to, and the region that this is a part of; null if it is not bound. Hardware thread. */
  MemoryRegion binding;
  MemoryRegion region;
  /** The queue pair that a type 2 window serves. Hardware thread. */
  QueuePair queuePair;
  volatile boolean bound;
  volatile boolean deallocated;

  MemoryWindow(ProtectionDomain pd, Type type, int key) {
    this.pd = pd;
    this.type = type;
    this.key = key;
  }

  public ProtectionDomain pd() {
    return pd;
  }

  public Type type() {
    return type;
  }

  /**
   * The key of the last binding, also if it is not valid any more. Before the first: 0 for type 1; for type 2 the key whose upper 24
   * bits all keys of this window have.
   */
  public int rkey() {
    return key;
  }

  /** Type 2: the key to bind with next; it differs from {@link #rkey} in the low byte, as {@code ibv_inc_rkey} has it. */
  public int nextRkey() {
    return (key & ~0xff) | (key + 1 & 0xff);
  }

  /** Whether the window gives access at this moment. */
  public boolean isBound() {
    return bound;
  }

  @Override
  public String toString() {
    return "MemoryWindow[" + type + (bound ? " bound" : "") + (deallocated ? " deallocated" : "") + "]";
  }
}
