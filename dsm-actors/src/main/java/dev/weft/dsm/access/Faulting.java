package dev.weft.dsm.access;

/** What a thread that has not the rights it wants can do about it. */
public interface Faulting {
  /**
   * Waits until this node has had these rights; they may be gone again.
   *
   * @param firstWord first of the words of 8 bytes that are wanted, from the begin of the minipage
   * @param lastWord last of them
   * @throws dev.weft.dsm.NodeLostException if the only copy, or the minipage's home, is lost
   * @throws IllegalStateException if this node has left, or the array was freed
   */
  void await(PageTable table, int index, byte rights, int firstWord, int lastWord);

  /** Whether who needs several minipages asks for all of them before waiting for the first. */
  boolean asksForAllAtOnce();

  /** Asks for copies to read of {@code count} minipages, without waiting. */
  void prefetch(PageTable table, int index, int count);

  /** Asks for copies to read for all nodes, without waiting. */
  void push(PageTable table, int index, int count);

  /** This thread has left minipages that others wait for. */
  void left();

  /** Whether others wait for minipages. */
  boolean isWaitedFor();
}
