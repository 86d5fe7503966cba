package dev.weft.dsm.access;

/**
 * The rights of one node in minipages, as the protocol changes them. Called in the receive context of the node, by one thread at a time.
 */
public interface AccessControl {
  /** Rights in a minipage. */
  byte rights(int minipage);

  /** Gives rights; they are more than before. */
  void grant(int minipage, byte rights);

  /**
   * Takes rights, without waiting for anything. True if it is over. False if threads are inside still: they end what they have begun, nobody
   * begins anew, and this must be called again, with the same rights, until it answers true; only then is the memory as it will stay.
   */
  boolean tryRevoke(int minipage, byte rights);

  /**
   * Sets any group of minipages to any rights with one barrier; never sleeps, so it may be called in interrupt context.
   *
   * @param minipages their numbers
   * @param rights what each of them gets
   * @return how many of the first are done; if that is not all, the rest must be tried again, in process context
   */
  int tryProtect(int[] minipages, byte[] rights);

  /** Whether threads that waited for the rights that are there have not run since, so that taking them now would be in vain. */
  boolean hasServed(int minipage);
}
