package dev.weft.dsm.access;

/** The operations of a thread that lacks the rights it needs. */
public interface Faulting {
  /**
   * Waits until this node has got these rights; it may have lost them again when this returns.
   *
   * @param firstWord first of the words of 8 bytes that the thread needs, counted from the start of the minipage
   * @param lastWord last of them
   * @throws dev.weft.dsm.NodeLostException if the only copy, or the minipage's home, is lost
   * @throws IllegalStateException if this node has left, or the array was freed
   */
  void await(PageTable table, int index, byte rights, int firstWord, int lastWord);

  /** Whether a thread that needs several minipages requests all of them before it waits for the first. */
  boolean asksForAllAtOnce();

  /** Requests readable copies of {@code count} minipages, without waiting. */
  void prefetch(PageTable table, int index, int count);

  /** Requests readable copies for all nodes, without waiting. */
  void push(PageTable table, int index, int count);

  /** The calling thread has left minipages that other nodes wait for. */
  void left();

  /** Whether other nodes wait for minipages. */
  boolean isWaitedFor();
}
