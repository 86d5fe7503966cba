package dev.weft.dsm.access;

/**
 * Is told of what would cost something on a machine with page protection. Access mode <em>virtual</em> is checked access with one that charges for it,
 * to the processors of a simulated host; in real time nobody is told, because what things cost is what they take.
 */
public interface AccessCosts {
  /** Nobody charges. */
  AccessCosts NONE = new AccessCosts() {};

  /** A thread has not {@code rights}, which it needs: on the thread, before it asks for them. */
  default void fault(byte rights) {}

  /** Whether a thread that reads or writes many minipages at once takes one fault after the other, and asks for none before it needs it. */
  default boolean faultsOneByOne() {
    return false;
  }

  /** A thread enters the system to ask for something or to wait: on the thread, before it does. */
  default void enter() {}

  /** Rights of minipages change in one call, that many bytes of each: in the receive context, or within what a thread of this node asked for. */
  default void protect(int minipages, long bytes) {}
}
