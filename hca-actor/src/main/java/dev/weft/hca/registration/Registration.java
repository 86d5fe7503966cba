package dev.weft.hca.registration;

/** One caller's use of registered memory, from acquire to release. */
public final class Registration {
  final Region region;
  boolean released;

  Registration(Region region) {
    this.region = region;
  }

  /** The local key, for scatter/gather elements of this node with native addresses. */
  public int lkey() {
    return region.keys.lkey();
  }

  /** The remote key, for the peer with native addresses. */
  public int rkey() {
    return region.keys.rkey();
  }

  /** Whether the pages are locked; false if RLIMIT_MEMLOCK forbade it, then they are only touched. */
  public boolean isPinned() {
    return region.keys.isPinned();
  }
}
