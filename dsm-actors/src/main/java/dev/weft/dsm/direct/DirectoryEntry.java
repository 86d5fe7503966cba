package dev.weft.dsm.direct;

import dev.weft.dsm.access.Rights;

/** The words of a directory entry, which lies at the home of its minipage: lock, owner, copies. And the word of a page table. */
public final class DirectoryEntry {
  /** Where the words are in an entry, in bytes. */
  public static final int LOCK = 0;

  public static final int OWNER = 8;
  public static final int COPIES = 16;
  public static final int BYTES = 24;

  /** The lock of an entry that nobody has locked. */
  public static final long FREE = 0;
  /** The lock of an entry that says nothing: its minipage has another home, or the node does not know yet who has it. Nobody can lock it. */
  public static final long CLOSED = -1;
  /** The owner of a minipage that is on no node any more. */
  public static final long LOST = -1;

  /** In a page table: a thread has waited for the right and has not come back to use it. */
  static final long SERVED = 1 << 8;

  private static final int RIGHTS_BITS = 2;
  private static final long WRITER = 64;

  private DirectoryEntry() {}

  /** What a node locks an entry with: who it is, and what it wants. */
  public static long lock(int node, byte rights) {
    return node + 1L << RIGHTS_BITS | rights;
  }

  /** The node that has locked it; -1 if none has. */
  public static int holder(long lock) {
    return (int) (lock >> RIGHTS_BITS) - 1;
  }

  /**
   * Whether a minipage is lost with the node that has locked its entry: that may have written to it. It has not where the home has a right still, for
   * who writes takes the rights of all others first.
   */
  public static boolean isLostWithHolder(long lock, byte rightsOfHome) {
    return (lock & (1 << RIGHTS_BITS) - 1) == Rights.WRITE && rightsOfHome == Rights.NONE;
  }

  /** The word of an owner. */
  public static long owner(int node, boolean mayWrite) {
    return node | (mayWrite ? WRITER : 0);
  }

  static int node(long owner) {
    return (int) (owner & WRITER - 1);
  }

  static boolean mayWrite(long owner) {
    return owner != LOST && (owner & WRITER) != 0;
  }

  /** The word of a page table that gives rights. */
  public static long word(byte rights, boolean isServed) {
    return rights | (isServed ? SERVED : 0);
  }

  static byte rights(long word) {
    return (byte) word;
  }
}
