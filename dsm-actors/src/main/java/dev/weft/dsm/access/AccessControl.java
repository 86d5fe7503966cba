package dev.weft.dsm.access;

/** The rights of one node to minipages, as the protocol changes them. Called in the receive context of the node, by one thread at a time. */
public interface AccessControl {
  /** The node's rights to a minipage. */
  byte rights(int minipage);

  /** Raises the rights to a minipage. */
  void grant(int minipage, byte rights);

  /**
   * Revokes rights without waiting. True if the revocation is complete. False if threads are still inside: they finish their accesses, and no new
   * access begins. The caller must then call this again with the same rights until it returns true; only then is the memory final.
   */
  boolean tryRevoke(int minipage, byte rights);

  /**
   * Sets any group of minipages to any rights with one barrier. Never sleeps, so it may be called in interrupt context.
   *
   * @param minipages numbers of the minipages
   * @param rights the new rights of each of them
   * @return how many of the first minipages are done; if not all, the caller must try the rest again in process context
   */
  int tryProtect(int[] minipages, byte[] rights);

  /** Whether threads that waited for the present rights have not run since, so that revoking the rights now would make their wait useless. */
  boolean hasServed(int minipage);
}
