package dev.weft.hca.device;

import dev.weft.hca.completion.CompCounter;
import dev.weft.hca.completion.CompletionCounters;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.CompletionHandler;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.EventCounters;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.ReceiveContext;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkRequest;
import java.util.Set;

/** Checks the arguments of verbs on queues before the core runs them. The methods of the same names in {@link Hca} describe them. Any thread. */
final class QueueVerbs {
  private final Hca hca;
  private final PacketEngine core;
  private final HardwareCalls calls;
  private final HcaSettings settings;

  QueueVerbs(Hca hca, PacketEngine core, HardwareCalls calls, HcaSettings settings) {
    this.hca = hca;
    this.core = core;
    this.calls = calls;
    this.settings = settings;
  }

  Cq createCq(CqExAttr attr) {
    int cqe = attr.cqe();
    ReceiveContext context = attr.context();
    CompletionHandler handler = attr.handler();
    if (cqe < 1 || cqe > settings.completionsMax()) {
      throw new VerbsException(Errno.EINVAL, "cqe is " + cqe + ", must be from 1 to " + settings.completionsMax());
    }
    if ((handler == null) != (context == ReceiveContext.POLLING)) {
      throw new VerbsException(Errno.EINVAL, "a completion queue for " + context + (handler == null ? " needs a handler" : " takes no handler"));
    }
    return calls.control(() -> core.queues().createCq(attr));
  }

  Qp createQp(Pd pd, ParentPd parent, QpInitAttr attr) {
    ControlVerbs.check("maxSendWr", attr.maxSendWr(), 1, settings.workRequestsMax());
    ControlVerbs.check("maxRecvWr", attr.maxRecvWr(), 0, settings.workRequestsMax());
    ControlVerbs.check("maxSendSge", attr.maxSendSge(), 0, settings.sgeMax());
    ControlVerbs.check("maxRecvSge", attr.maxRecvSge(), 0, settings.sgeMax());
    ControlVerbs.check("maxInlineData", attr.maxInlineData(), 0, settings.inlineMaxBytes());
    if (attr.srq() != null && attr.srq().hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "the shared receive queue belongs to the HCA of " + attr.srq().hca().nodeName()
          + ", not to that of " + hca.nodeName());
    }
    if (pd.hca() != hca || attr.sendCq().hca() != hca || attr.receiveCq().hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "protection domain and completion queues must belong to the HCA of " + hca.nodeName());
    }
    return calls.control(() -> core.queues().createQp(pd, parent, attr));
  }

  int bindMw(Qp qp, MwBind bind, long wrId, int sendFlags) {
    if (bind.window().type() != MemoryWindow.Type.TYPE_1) {
      throw new VerbsException(Errno.EINVAL, "bindMw binds only windows of type 1; bind one of type 2 with WorkRequest.bindMw");
    }
    if (qp.hca() != hca) {
      throw new VerbsException(Errno.EINVAL, "the queue pair belongs to the HCA of " + qp.hca().nodeName() + ", not to that of " + hca.nodeName());
    }
    return calls.control(() -> {
      int key = core.memory().drawBeyondBound();
      MwBind keyed = new MwBind(bind.window(), key, bind.region(), bind.addr(), bind.length(), bind.access());
      qp.postBind(new WorkRequest().bindMw(keyed).wrId(wrId).flags(sendFlags));
      return key;
    });
  }

  void attachCounter(Qp qp, CompCounter counter, Set<CompletionCounter.Operation> operations) {
    if (qp.hca() != hca || !core.completionCounters.owns(counter)) {
      throw new VerbsException(Errno.EINVAL, "queue pair and counter must belong to the HCA of " + hca.nodeName());
    }
    calls.control(() -> {
      if (qp.isDestroyed() || (qp.state() != QpState.RESET && qp.state() != QpState.INIT)) {
        throw new VerbsException(Errno.EINVAL, qp + " must be in RESET or INIT when a counter is attached");
      }
      CompletionCounters.attach(qp.counters(), counter, operations, qp);
      return null;
    });
  }

  void useEventCounters(Qp qp, EventCounters counters) {
    calls.control(() -> {
      if (qp.hca() != hca || qp.type() != QpType.RC || (qp.state() != QpState.RESET && qp.state() != QpState.INIT)) {
        throw new VerbsException(Errno.EINVAL, qp + " must be an RC queue pair of this HCA, in RESET or INIT");
      }
      qp.useEventCounters(counters);
      return null;
    });
  }
}
