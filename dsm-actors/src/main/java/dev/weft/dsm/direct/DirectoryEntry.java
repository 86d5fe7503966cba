package dev.weft.dsm.direct;

import dev.weft.dsm.access.Rights;

/** The words of a directory entry, which is at the home of its minipage: lock, owner and copies. Also the word of a page table. */
public final class DirectoryEntry {
  /** Offsets of the words in an entry, in bytes. */
  public static final int LOCK = 0;

  public static final int OWNER = 8;
  public static final int COPIES = 16;
  public static final int BYTES = 24;

  /** The lock of an entry that no node has locked. */
  public static final long FREE = 0;
  /**
   * The lock of an entry without valid content, which no node can lock: its minipage has another home, or this home does not know the holders yet.
   */
  public static final long CLOSED = -1;
  /** The owner of a minipage that no node has any more. */
  public static final long LOST = -1;

  /** In a page table: a thread has waited for the right and has not come back yet to use it. */
  static final long SERVED = 1 << 8;

  private static final int RIGHTS_BITS = 2;
  private static final long WRITER = 64;

  private DirectoryEntry() {}

  /** The lock of a node: its number, and the rights that it wants. */
  public static long lock(int node, byte rights) {
    return node + 1L << RIGHTS_BITS | rights;
  }

  /** The node that has locked the entry; -1 if none has. */
  public static int holder(long lock) {
    return (int) (lock >> RIGHTS_BITS) - 1;
  }

  /**
   * Whether a minipage is lost with the node that has locked its entry, because that node may have written. It has not written if the home still has
   * a right, since a writer takes the rights of all others first.
   */
  public static boolean isLostWithHolder(long lock, byte rightsOfHome) {
    return (lock & (1 << RIGHTS_BITS) - 1) == Rights.WRITE && rightsOfHome == Rights.NONE;
  }

  /** The owner word of a node. */
  public static long owner(int node, boolean mayWrite) {
    return node | (mayWrite ? WRITER : 0);
  }

  static int node(long owner) {
    return (int) (owner & WRITER - 1);
  }

  static boolean mayWrite(long owner) {
    return owner != LOST && (owner & WRITER) != 0;
  }

  /** The page table word for these rights. */
  public static long word(byte rights, boolean isServed) {
    return rights | (isServed ? SERVED : 0);
  }

  static byte rights(long word) {
    return (byte) word;
  }
}
