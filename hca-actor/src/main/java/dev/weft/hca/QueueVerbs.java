package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;
import dev.weft.hca.netvm.EventCounters;
import java.util.Set;

/** What an {@link Hca} looks at before its core makes queues or binds things to them; its methods of these names describe them. Any thread. */
final class QueueVerbs {
  private final Hca hca;
  private final HcaCore core;
  private final HcaSettings settings;

  QueueVerbs(Hca hca, HcaCore core, HcaSettings settings) {
    this.hca = hca;
    this.core = core;
    this.settings = settings;
  }

  CompletionQueue createCq(CqExAttr attr) {
    int cqe = attr.cqe();
    ReceiveContext context = attr.context();
    CompletionHandler handler = attr.handler();
    if (cqe < 1 || cqe > settings.completionsMax()) {
      throw new VerbsException(Errno.EINVAL, "cqe is " + cqe + ", must be from 1 to " + settings.completionsMax());
    }
    if ((handler == null) != (context == ReceiveContext.POLLING)) {
      throw new VerbsException(Errno.EINVAL, context + (handler == null ? " needs a handler" : " takes no handler"));
    }
    return hca.control(() -> core.createCq(attr));
  }

  QueuePair createQp(ProtectionDomain pd, ParentDomain parent, QpInitAttr attr) {
    Hca.check("maxSendWr", attr.maxSendWr(), 1, settings.workRequestsMax());
    Hca.check("maxRecvWr", attr.maxRecvWr(), 0, settings.workRequestsMax());
    Hca.check("maxSendSge", attr.maxSendSge(), 0, settings.sgeMax());
    Hca.check("maxRecvSge", attr.maxRecvSge(), 0, settings.sgeMax());
    Hca.check("maxInlineData", attr.maxInlineData(), 0, settings.inlineMaxBytes());
    if (attr.srq() != null && attr.srq().hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "the shared receive queue belongs to the HCA of " + attr.srq().hca().nodeName());
    }
    if (pd.hca() != hca || attr.sendCq().hca() != hca || attr.receiveCq().hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "protection domain and completion queues must belong to the HCA of " + hca.nodeName());
    }
    return hca.control(() -> core.createQp(pd, parent, attr));
  }

  int bindMw(QueuePair qp, MwBind bind, long wrId, int sendFlags) {
    if (bind.window().type() != MemoryWindow.Type.TYPE_1) {
      throw new VerbsException(Errno.EINVAL, "a window of type 2 is bound by a work request; use WorkRequest.bindMw");
    }
    if (qp.hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "the queue pair belongs to the HCA of " + qp.hca().nodeName());
    }
    return hca.control(() -> {
      int key = core.memory.drawBeyondBound();
      MwBind keyed = new MwBind(bind.window(), key, bind.region(), bind.addr(), bind.length(), bind.access());
      qp.postBind(new WorkRequest().bindMw(keyed).wrId(wrId).flags(sendFlags));
      return key;
    });
  }

  void attachCounter(QueuePair qp, CompletionCounter counter, Set<CompletionCounter.Operation> operations) {
    if (qp.hca() != hca || counter.hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "queue pair and counter must belong to the HCA of " + hca.nodeName());
    }
    hca.run(() -> core.completionCounters.attach(qp, counter, operations));
  }

  void useEventCounters(QueuePair qp, EventCounters counters) {
    hca.control(() -> {
      if (qp.hca() != hca || qp.type() != QpType.RC || (qp.state != QpState.RESET && qp.state != QpState.INIT)) {
        throw new VerbsException(Errno.EINVAL, qp + " must be a reliable one of this HCA, in RESET or INIT");
      }
      qp.eventCounters = counters;
      return null;
    });
  }
}
