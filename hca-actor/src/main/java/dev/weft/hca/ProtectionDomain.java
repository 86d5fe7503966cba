package dev.weft.hca;

/** A protection domain: queue pairs use only memory regions of their own domain. */
public final class ProtectionDomain {
  private final Hca hca;
  private final int handle;
  /** Regions whose memory is not pinned. Hardware thread. */
  int unpinnedRegions;
  int useCount;
  /** Written and read on the hardware thread. */
  boolean deallocated;

  ProtectionDomain(Hca hca, int handle) {
    this.hca = hca;
    this.handle = handle;
  }

  HcaSnapshot.Pd snapshot() {
    return new HcaSnapshot.Pd(handle, useCount, unpinnedRegions);
  }

  public Hca hca() {
    return hca;
  }

  public int handle() {
    return handle;
  }
}
