package dev.weft.hca;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.VerbsException.Errno;
import java.util.Map;

/** Protection domains, parent domains and address handles of an {@link Hca}, whose methods of these names describe them. Any thread. */
final class DomainVerbs {
  private final Hca hca;
  /** Those that are allocated, by handle. Hardware thread. */
  private final Map<Integer, ProtectionDomain> allocated;
  private final int allocatedMax;
  /** Hardware thread. */
  private int nextPdHandle = 1;

  DomainVerbs(Hca hca, Map<Integer, ProtectionDomain> allocated, HcaSettings settings) {
    this.hca = hca;
    this.allocated = allocated;
    allocatedMax = settings.protectionDomainsMax();
  }

  ProtectionDomain allocPd() {
    return hca.control(() -> {
      if (allocated.size() >= allocatedMax) {
        throw new VerbsException(Errno.ENOMEM, "the HCA holds " + allocatedMax
            + " protection domains already; deallocate one or raise weft.hca.protection-domains-max");
      }
      ProtectionDomain pd = new ProtectionDomain(hca, nextPdHandle++);
      allocated.put(pd.handle(), pd);
      return pd;
    });
  }

  void deallocPd(ProtectionDomain pd) {
    hca.giveBack(() -> {
      if (pd.hca() != hca || pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle()
            + (pd.deallocated ? " is deallocated already" : " belongs to the HCA of " + pd.hca().nodeName()));
      }
      if (pd.useCount > 0) {
        throw new VerbsException(Errno.EBUSY, "protection domain " + pd.handle() + " still has " + pd.useCount
            + " memory regions, queue pairs and address handles; remove them first");
      }
      pd.deallocated = true;
      allocated.remove(pd.handle());
      return null;
    });
  }

  AddressHandle createAh(ProtectionDomain pd, int destLid, int serviceLevel) {
    Hca.check("destination LID", destLid, 1, Packet.MULTICAST_LID_MAX);
    Hca.check("service level", serviceLevel, 0, 15);
    return hca.control(() -> {
      if (pd.hca() != hca || pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle()
            + (pd.deallocated ? " is deallocated" : " belongs to the HCA of " + pd.hca().nodeName()));
      }
      pd.useCount++;
      return new AddressHandle(pd, destLid, serviceLevel);
    });
  }

  void destroyAh(AddressHandle handle) {
    hca.giveBack(() -> {
      if (handle.destroyed || handle.pd().hca() != hca) {
        throw new VerbsException(Errno.EINVAL, handle + " is not one of the HCA of " + hca.nodeName());
      }
      handle.destroyed = true;
      handle.pd().useCount--;
      return null;
    });
  }

  ParentDomain allocParentDomain(ProtectionDomain pd, QueueAllocator allocator) {
    hca.checkDomain(pd);
    return hca.control(() -> {
      if (pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
      }
      pd.useCount++;
      return new ParentDomain(pd, allocator);
    });
  }

  void deallocParentDomain(ParentDomain domain) {
    hca.checkDomain(domain.pd());
    hca.giveBack(() -> {
      if (domain.deallocated || domain.useCount > 0) {
        throw new VerbsException(domain.deallocated ? Errno.EINVAL : Errno.EBUSY, "the parent domain "
            + (domain.deallocated ? "is deallocated already" : "still has " + domain.useCount + " queue pairs; destroy them first"));
      }
      domain.deallocated = true;
      domain.pd().useCount--;
      return null;
    });
  }
}
