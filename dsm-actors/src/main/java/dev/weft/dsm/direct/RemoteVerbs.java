package dev.weft.dsm.direct;

/**
 * The steps of a fault that access the memory of other nodes, or of this node if it is the home. Each step posts some work requests on one
 * connection, in order. It ends with a call of {@link SynchronousCore}, never before the method has returned. A step to a lost node ends without a
 * call.
 */
public interface RemoteVerbs {
  /** Compare-and-swap of the entry's lock, from {@link DirectoryEntry#FREE}; then reads the entry. Ends with {@link SynchronousCore#onLocked}. */
  void lock(int home, int minipage, long lock);

  /** Writes owner and copies, then frees the lock. Ends with {@link SynchronousCore#onUnlocked}. */
  void unlock(int home, int minipage, long owner, long copies);

  /**
   * Compare-and-swap of a page table's word, a full fence at that node, then reads the announcements of its threads. Ends with
   * {@link SynchronousCore#onRevoked}.
   */
  void revoke(int node, int minipage, long expected, byte rights);

  /** Only reads the announcements of the node's threads. Ends with {@link SynchronousCore#onRevoked}, with {@code rights} as the word found. */
  void look(int node, int minipage, byte rights);

  /** Reads the frame of another node into this node's frame. Ends with {@link SynchronousCore#onFetched}. */
  void fetch(int node, int minipage);
}
