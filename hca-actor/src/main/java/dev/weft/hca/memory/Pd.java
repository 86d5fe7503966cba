package dev.weft.hca.memory;

import dev.weft.fabric.Check;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;

/** A protection domain, and what belongs to it. */
public final class Pd implements ProtectionDomain {
  private final Hca hca;
  private final int handle;
  /** Regions whose memory is not pinned. Hardware thread. */
  int unpinnedRegions;
  int useCount;
  /** Written and read on the hardware thread. */
  boolean deallocated;

  public Pd(Hca hca, int handle) {
    this.hca = hca;
    this.handle = handle;
  }

  /** The domain of that HCA that a consumer gives; EINVAL if it is another's. */
  public static Pd of(Hca hca, ProtectionDomain given) {
    Check.given("pd", given);
    if (given.hca() != hca) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "the protection domain belongs to the HCA of " + given.hca().nodeName());
    }
    return (Pd) given;
  }

  public boolean isDeallocated() {
    return deallocated;
  }

  public void deallocate() {
    deallocated = true;
  }

  public int useCount() {
    return useCount;
  }

  /** Something of it was made, or given back. */
  public void use(int delta) {
    useCount += delta;
  }

  /** The same of a region whose memory is not pinned. */
  public void useUnpinned(int delta) {
    unpinnedRegions += delta;
  }

  public HcaSnapshot.Pd snapshot() {
    return new HcaSnapshot.Pd(handle, useCount, unpinnedRegions);
  }

  @Override
  public Hca hca() {
    return hca;
  }

  @Override
  public int handle() {
    return handle;
  }
}
