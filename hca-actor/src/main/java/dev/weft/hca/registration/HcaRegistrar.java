package dev.weft.hca.registration;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Registers memory with an HCA, which touches and locks the pages if {@code weft.hca.pin-memory} is set. Threads: as for the control verbs of {@link
 * Hca}. A batch needs one call to the hardware thread. This HCA has no faster way to register, so {@code fast} changes nothing.
 */
public final class HcaRegistrar implements Registrar {
  private record Region(MemoryRegion mr) implements RegisteredMemory {
    @Override
    public int lkey() {
      return mr.lkey();
    }

    @Override
    public int rkey() {
      return mr.rkey();
    }

    @Override
    public boolean isPinned() {
      return mr.isPinned();
    }

    @Override
    public boolean isValid() {
      return mr.isValid();
    }
  }

  private final Hca hca;
  private final ProtectionDomain pd;
  private final int always;

  public HcaRegistrar(Hca hca, ProtectionDomain pd) {
    this(hca, pd, 0);
  }

  private HcaRegistrar(Hca hca, ProtectionDomain pd, int always) {
    this.hca = hca;
    this.pd = pd;
    this.always = always;
  }

  @Override
  public Registrar unpinned() {
    return new HcaRegistrar(hca, pd, Access.ON_DEMAND);
  }

  /** Rejects MW_BIND, because a bound window could outlive the use of its registration, and ZERO_BASED, because addresses are native. */
  @Override
  public RegisteredMemory register(MemorySegment memory, int access, boolean fast) {
    if ((access & (Access.MW_BIND | Access.ZERO_BASED)) != 0) {
      throw new VerbsException(Errno.EINVAL, "MW_BIND and ZERO_BASED need a region of their own; use Hca.regMr");
    }
    return new Region(hca.regMr(pd, memory, access | always));
  }

  @Override
  public void deregister(RegisteredMemory registered, long lengthBytes) {
    hca.deregMr(((Region) registered).mr());
  }

  @Override
  public void deregisterAll(List<RegisteredMemory> registered, List<Long> lengthsBytes) {
    List<MemoryRegion> regions = new ArrayList<>(registered.size());
    for (RegisteredMemory one : registered) {
      regions.add(((Region) one).mr());
    }
    hca.deregMrs(regions);
  }
}
