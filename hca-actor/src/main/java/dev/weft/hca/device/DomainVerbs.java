package dev.weft.hca.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.QueueAllocator;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.Map;

/** The verbs for protection domains, parent domains and address handles. The methods of the same names in {@link Hca} describe them. Any thread. */
final class DomainVerbs {
  private final Hca hca;
  private final HardwareCalls calls;
  /** The allocated domains, by handle. Hardware thread. */
  private final Map<Integer, Pd> allocated;
  private final int allocatedMax;
  /** Used on the hardware thread. */
  private int nextPdHandle = 1;

  DomainVerbs(Hca hca, HardwareCalls calls, Map<Integer, Pd> allocated, HcaSettings settings) {
    this.hca = hca;
    this.calls = calls;
    this.allocated = allocated;
    allocatedMax = settings.protectionDomainsMax();
  }

  Pd allocPd() {
    return calls.control(() -> {
      if (allocated.size() >= allocatedMax) {
        throw new VerbsException(Errno.ENOMEM, "the HCA holds " + allocatedMax
            + " protection domains already; deallocate one or raise weft.hca.protection-domains-max");
      }
      Pd pd = new Pd(hca, nextPdHandle++);
      allocated.put(pd.handle(), pd);
      return pd;
    });
  }

  void deallocPd(Pd pd) {
    calls.giveBack(() -> {
      if (pd.hca() != hca || pd.isDeallocated()) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle()
            + (pd.isDeallocated() ? " is deallocated already" : " belongs to the HCA of " + pd.hca().nodeName()));
      }
      if (pd.useCount() > 0) {
        throw new VerbsException(Errno.EBUSY, "protection domain " + pd.handle() + " still has " + pd.useCount()
            + " memory regions, queue pairs and address handles; remove them first");
      }
      pd.deallocate();
      allocated.remove(pd.handle());
      return null;
    });
  }

  Ah createAh(Pd pd, int destLid, int serviceLevel) {
    ControlVerbs.check("destination LID", destLid, 1, Packet.MULTICAST_LID_MAX);
    ControlVerbs.check("service level", serviceLevel, 0, 15);
    return calls.control(() -> {
      if (pd.hca() != hca || pd.isDeallocated()) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle()
            + (pd.isDeallocated() ? " is deallocated" : " belongs to the HCA of " + pd.hca().nodeName()));
      }
      pd.use(1);
      return new Ah(pd, destLid, serviceLevel);
    });
  }

  void destroyAh(Ah handle) {
    calls.giveBack(() -> {
      if (handle.destroyed || handle.pd().hca() != hca) {
        throw new VerbsException(Errno.EINVAL, handle + " is not one of the HCA of " + hca.nodeName());
      }
      handle.destroyed = true;
      handle.pd().use(-1);
      return null;
    });
  }

  ParentPd allocParentDomain(Pd pd, QueueAllocator allocator) {
    return calls.control(() -> {
      if (pd.isDeallocated()) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
      }
      pd.use(1);
      return new ParentPd(pd, allocator);
    });
  }

  void deallocParentDomain(ParentPd domain) {
    Pd.of(hca, domain.pd());
    calls.giveBack(() -> {
      if (domain.isDeallocated() || domain.useCount() > 0) {
        throw new VerbsException(domain.isDeallocated() ? Errno.EINVAL : Errno.EBUSY, "the parent domain "
            + (domain.isDeallocated() ? "is deallocated already" : "still has " + domain.useCount() + " queue pairs; destroy them first"));
      }
      domain.deallocate();
      domain.pd().use(-1);
      return null;
    });
  }
}
