package dev.weft.hca.registration;

/** The right of one caller to use registered memory, from acquire to release. */
public final class Registration {
  final Region region;
  boolean released;

  Registration(Region region) {
    this.region = region;
  }

  /** For scatter/gather elements of this node, with native addresses. */
  public int lkey() {
    return region.keys.lkey();
  }

  /** For the peer, with native addresses. */
  public int rkey() {
    return region.keys.rkey();
  }

  /** Whether the pages are locked; false where RLIMIT_MEMLOCK forbade it, then they are touched only. */
  public boolean isPinned() {
    return region.keys.isPinned();
  }
}
