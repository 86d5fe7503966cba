package dev.weft.dsm.access;

/**
 * Receives the steps that would cost time on a machine with page protection. Access mode <em>virtual</em> is checked access with an implementation
 * that charges these costs to the processors of a simulated host. In real time no costs are charged, because each step takes its own time.
 */
public interface AccessCosts {
  /** Charges nothing. */
  AccessCosts NONE = new AccessCosts() {};

  /** A thread lacks {@code rights}. Called on the thread, before it asks for them. */
  default void fault(byte rights) {}

  /** Whether a thread that accesses many minipages at once takes one fault after the other, without prefetching. */
  default boolean faultsOneByOne() {
    return false;
  }

  /** A thread enters the system to ask for something or to wait. Called on the thread, before it does so. */
  default void enter() {}

  /**
   * The rights of minipages change in one call; {@code bytes} is the size of each minipage. Called in the receive context, or within a request of a
   * thread of this node.
   */
  default void protect(int minipages, long bytes) {}
}
