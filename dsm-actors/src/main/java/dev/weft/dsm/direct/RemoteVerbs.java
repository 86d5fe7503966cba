package dev.weft.dsm.direct;

/**
 * The steps of a fault that touch the memory of other nodes, or of this one where it is the home. Each is some work requests on one connection, in
 * order, and ends with a call of {@link SynchronousCore}, never before it has returned. What goes to a node that is lost ends with no call.
 */
public interface RemoteVerbs {
  /** Compare-and-swap of the entry's lock, from {@link DirectoryEntry#FREE}; then reads the entry. Ends with {@link SynchronousCore#onLocked}. */
  void lock(int home, int minipage, long lock);

  /** Writes owner and copies, then frees the lock. Ends with {@link SynchronousCore#onUnlocked}. */
  void unlock(int home, int minipage, long owner, long copies);

  /**
   * Compare-and-swap of the word of a page table, a full fence there, then reads what threads have announced there. Ends with
   * {@link SynchronousCore#onRevoked}.
   */
  void revoke(int node, int minipage, long expected, byte rights);

  /** Reads only what threads have announced there. Ends with {@link SynchronousCore#onRevoked}, which is given {@code rights} as what was found. */
  void look(int node, int minipage, byte rights);

  /** Reads the frame of another node into this one's. Ends with {@link SynchronousCore#onFetched}. */
  void fetch(int node, int minipage);
}
