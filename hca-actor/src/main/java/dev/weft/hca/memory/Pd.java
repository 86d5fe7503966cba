package dev.weft.hca.memory;

import dev.weft.fabric.Check;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;

/** A protection domain, with counters of its objects. */
public final class Pd implements ProtectionDomain {
  private final Hca hca;
  private final int handle;
  /** The number of regions with unpinned memory. Hardware thread. */
  int unpinnedRegions;
  int useCount;
  /** Used on the hardware thread only. */
  boolean deallocated;

  public Pd(Hca hca, int handle) {
    this.hca = hca;
    this.handle = handle;
  }

  /** Returns the domain that a consumer has passed; throws EINVAL if it belongs to another HCA. */
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

  /** Counts a created (1) or destroyed (-1) object of this domain. */
  public void use(int delta) {
    useCount += delta;
  }

  /** Counts a created (1) or destroyed (-1) region with unpinned memory. */
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
