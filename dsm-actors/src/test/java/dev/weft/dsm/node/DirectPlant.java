package dev.weft.dsm.node;

/** Where a bug can be planted in the synchronous engine; without one, all is as it should be. */
class DirectPlant {
  static final DirectPlant NONE = new DirectPlant();

  /** Whether announcements are read after the right was taken, rather than before. */
  boolean looksAfterTaking() {
    return true;
  }

  /** Whether a thread that was seen inside is waited for. */
  boolean waitsForInsiders() {
    return true;
  }

  /** Whether a write is announced before the right is looked at. */
  boolean announcesFirst() {
    return true;
  }

  /** Whether announcements stay until the store is done. */
  boolean storesBeforeLeaving() {
    return true;
  }

  /** Whether the lock is freed after the entry was written. */
  boolean freesLast() {
    return true;
  }

  /** Whether an entry can be freed at all. */
  boolean frees() {
    return true;
  }

  /** Whether a lock is taken only where it is free. */
  boolean locksOnlyWhatIsFree() {
    return true;
  }

  /** Who has copies by what is written into an entry. */
  long copies(long copies) {
    return copies;
  }

  /** Whether a right is really taken. */
  boolean takes(byte rights) {
    return true;
  }

  /** Whether the right is there before the entry is free. */
  boolean grantsBeforeUnlocking() {
    return true;
  }

  /** Whether what is fetched is read while the entry is locked, rather than what was there when the fault began. */
  boolean fetches() {
    return true;
  }

  /** Whether a home frees what a lost node has locked. */
  boolean freesWhatTheLostHaveLocked() {
    return true;
  }

  /** Whether what a lost node may have written to is lost with it. */
  boolean losesWhatTheLostMayHaveWritten() {
    return true;
  }

  /** Whether entries of other homes cannot be locked here before they are rebuilt. */
  boolean closesWhatIsNotItsOwn() {
    return true;
  }

  /** Whether the next home serves only when all have said what they have. */
  boolean waitsForAll() {
    return true;
  }

  /** Whether who had locked an entry in a lost home waits for its verbs to end before it says what it has. */
  boolean waitsForVerbs() {
    return true;
  }

  /** Whether it says what it had locked. */
  boolean saysWhatItHadLocked() {
    return true;
  }

  /** Whether a thread that is woken looks whether the node has the rights still. */
  boolean looksAgain() {
    return true;
  }
}
