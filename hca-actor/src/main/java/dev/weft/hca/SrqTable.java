package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;
import java.util.ArrayList;
import java.util.List;

/** Shared receive queues of one HCA. Hardware thread. Bound: {@code shared-receive-queues-max}. */
final class SrqTable {
  private final Hca hca;
  private final HcaCore core;
  private final List<SharedReceiveQueue> queues = new ArrayList<>();
  private int nextNumber = 1;

  SrqTable(Hca hca, HcaCore core) {
    this.hca = hca;
    this.core = core;
  }

  SharedReceiveQueue create(ProtectionDomain pd, SrqAttr attr) {
    int most = core.settings.sharedReceiveQueuesMax();
    if (queues.size() >= most) {
      throw new VerbsException(Errno.ENOMEM,
          "the HCA holds " + most + " shared receive queues already; raise weft.hca.shared-receive-queues-max");
    }
    if (pd.deallocated) {
      throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
    }
    SharedReceiveQueue srq = new SharedReceiveQueue(hca, core, pd, nextNumber++, attr.maxWr(), attr.maxSge());
    queues.add(srq);
    pd.useCount++;
    return srq;
  }

  void destroy(SharedReceiveQueue srq) {
    if (srq.useCount > 0) {
      throw new VerbsException(Errno.EBUSY, "shared receive queue " + srq.number() + " is used by " + srq.useCount
          + " queue pairs; destroy them first");
    }
    if (!queues.remove(srq)) {
      throw new VerbsException(Errno.EINVAL, "shared receive queue " + srq.number() + " is not one of this HCA's");
    }
    srq.destroyed = true;
    srq.pd().useCount--;
  }

  /** A queue pair is created with that queue, or without one if it is null. */
  void attach(SharedReceiveQueue srq) {
    if (srq == null) {
      return;
    }
    if (srq.destroyed) {
      throw new VerbsException(Errno.EINVAL, "shared receive queue " + srq.number() + " was destroyed already");
    }
    srq.useCount++;
  }

  void detach(SharedReceiveQueue srq) {
    if (srq != null) {
      srq.useCount--;
    }
  }

  /** The queue pair has gone to ERR and takes no receive of its shared queue any more. */
  void lastReceiveReached(QueuePair qp) {
    if (qp.initAttr().srq() != null) {
      core.event(AsyncEvent.Type.QP_LAST_WQE_REACHED, qp.qpNum());
    }
  }

  List<HcaSnapshot.Srq> snapshot() {
    return queues.stream().map(srq -> {
      SrqAttr attr = srq.query();
      return new HcaSnapshot.Srq(srq.number(), srq.size(), attr.maxWr(), attr.limit(), attr.limit() > 0, srq.useCount);
    }).toList();
  }
}
