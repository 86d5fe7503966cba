package dev.weft.hca.transport;

import dev.weft.hca.memory.Pd;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.SrqAttr;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.ArrayList;
import java.util.List;

/** The shared receive queues of one HCA, at most {@code shared-receive-queues-max}. Hardware thread. */
public final class SrqTable {
  private final Hca hca;
  private final QueueDevice view;
  private final List<Srq> queues = new ArrayList<>();
  private int nextNumber = 1;

  public SrqTable(Hca hca, QueueDevice view) {
    this.hca = hca;
    this.view = view;
  }

  public Srq create(Pd pd, SrqAttr attr) {
    int most = view.settings.sharedReceiveQueuesMax();
    if (queues.size() >= most) {
      throw new VerbsException(Errno.ENOMEM,
          "the HCA holds " + most + " shared receive queues already; raise weft.hca.shared-receive-queues-max");
    }
    if (pd.isDeallocated()) {
      throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
    }
    Srq srq = new Srq(hca, view, pd, nextNumber++, attr.maxWr(), attr.maxSge());
    queues.add(srq);
    pd.use(1);
    return srq;
  }

  public void destroy(Srq srq) {
    if (srq.useCount > 0) {
      throw new VerbsException(Errno.EBUSY, "shared receive queue " + srq.number() + " is used by " + srq.useCount
          + " queue pairs; destroy them first");
    }
    if (!queues.remove(srq)) {
      throw new VerbsException(Errno.EINVAL, "shared receive queue " + srq.number() + " is not one of this HCA's");
    }
    srq.destroyed = true;
    srq.pd().use(-1);
  }

  /** Counts a new queue pair that uses {@code srq}; does nothing if it is null. */
  public void attach(Srq srq) {
    if (srq == null) {
      return;
    }
    if (srq.destroyed) {
      throw new VerbsException(Errno.EINVAL, "shared receive queue " + srq.number() + " was destroyed already");
    }
    srq.useCount++;
  }

  public void detach(Srq srq) {
    if (srq != null) {
      srq.useCount--;
    }
  }

  public List<HcaSnapshot.Srq> snapshot() {
    return queues.stream().map(srq -> {
      SrqAttr attr = srq.query();
      return new HcaSnapshot.Srq(srq.number(), srq.size(), attr.maxWr(), attr.limit(), attr.limit() > 0, srq.useCount);
    }).toList();
  }
}
