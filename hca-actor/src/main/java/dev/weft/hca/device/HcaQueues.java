package dev.weft.hca.device;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.memory.ParentPd;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.transport.Psn;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.QpStates;
import dev.weft.hca.transport.SendQueue;
import dev.weft.hca.transport.Srq;
import dev.weft.hca.verbs.CqExAttr;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/** The completion queues and queue pairs of one HCA: creates, finds and destroys them. Hardware thread. */
final class HcaQueues {
  private static final int FIRST_QP_NUM = 0x11;

  private final DeviceVerbs hca;
  private final PacketEngine core;
  private final HcaSettings settings;
  private final Clock clock;
  private final Int2ObjectHashMap<Qp> queuePairs = new Int2ObjectHashMap<>();
  private final List<Cq> completionQueues = new ArrayList<>();
  private int nextQpNum = FIRST_QP_NUM;
  private int nextCqNum = 1;
  /** The last queue pair found. */
  private Qp last;

  HcaQueues(DeviceVerbs hca, PacketEngine core, HcaSettings settings, Clock clock) {
    this.hca = hca;
    this.core = core;
    this.settings = settings;
    this.clock = clock;
  }

  /** Returns the queue pair of that number, or null. */
  Qp find(int number) {
    Qp qp = last;
    if (qp == null || qp.qpNum() != number) {
      qp = queuePairs.get(number);
      last = qp;
    }
    return qp;
  }

  boolean contains(Qp qp) {
    return queuePairs.get(qp.qpNum()) == qp;
  }

  /** Returns the queue pairs, sorted by number. */
  List<Qp> queuePairs() {
    List<Qp> list = new ArrayList<>(queuePairs.values());
    list.sort(Comparator.comparingInt(Qp::qpNum));
    return list;
  }

  /** Returns the completion queues in the order of their creation. */
  List<Cq> completionQueues() {
    return List.copyOf(completionQueues);
  }

  Cq createCq(CqExAttr attr) {
    if (completionQueues.size() >= settings.completionQueuesMax()) {
      throw new VerbsException(VerbsException.Errno.ENOMEM, "the HCA holds " + settings.completionQueuesMax()
          + " completion queues already; raise weft.hca.completion-queues-max");
    }
    Cq cq = new Cq(hca, core.calls(), settings.completionsMax(), nextCqNum++, attr, clock);
    completionQueues.add(cq);
    core.spawnActorOf(cq);
    return cq;
  }

  void destroyCq(Cq cq) {
    if (cq.useCount() > 0) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "completion queue " + cq.number() + " is used by " + cq.useCount()
          + " work queues; destroy their queue pairs first");
    }
    if (!completionQueues.remove(cq)) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "completion queue " + cq.number() + " is not one of this HCA's");
    }
    cq.destroy();
  }

  Qp createQp(Pd pd, ParentPd parent, QpInitAttr attr) {
    if (queuePairs.size() >= settings.queuePairsMax()) {
      throw new VerbsException(VerbsException.Errno.ENOMEM,
          "the HCA holds " + settings.queuePairsMax() + " queue pairs already; raise weft.hca.queue-pairs-max");
    }
    Cq sendCq = (Cq) attr.sendCq();
    Cq receiveCq = (Cq) attr.receiveCq();
    Srq srq = (Srq) attr.srq();
    if (sendCq.isDestroyed() || receiveCq.isDestroyed() || pd.isDeallocated()
        || (parent != null && parent.isDeallocated())) {
      throw new VerbsException(VerbsException.Errno.EINVAL,
          "the " + (sendCq.isDestroyed() || receiveCq.isDestroyed() ? "completion queue was destroyed" : "domain was deallocated")
              + " already");
    }
    MemorySegment given = parent == null ? null : parent.allocate(SendQueue.inlineBytes(attr.maxSendWr(), attr.maxInlineData()));
    try {
      core.sharedReceiveQueues.attach(srq);
    } catch (VerbsException refused) {
      if (given != null) {
        parent.free(given);
      }
      throw refused;
    }
    while (queuePairs.containsKey(nextQpNum)) {
      nextQpNum = nextQpNum == Psn.MASK - 1 ? FIRST_QP_NUM : nextQpNum + 1;
    }
    Qp qp = new Qp(hca, core, pd, nextQpNum, attr, given);
    try {
      core.unpinned().enroll(qp.unpinned(), qp.pd(), qp.receivePd());
    } catch (VerbsException refused) {
      core.sharedReceiveQueues.detach(srq);
      if (given != null) {
        parent.free(given);
      }
      throw refused;
    }
    nextQpNum = nextQpNum == Psn.MASK - 1 ? FIRST_QP_NUM : nextQpNum + 1;
    queuePairs.put(qp.qpNum(), qp);
    sendCq.use(1);
    receiveCq.use(1);
    pd.use(1);
    if (parent != null) {
      parent.use(1);
      qp.setParent(parent);
    }
    return qp;
  }

  void destroyQp(Qp qp) {
    if (queuePairs.get(qp.qpNum()) != qp) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "queue pair " + qp.qpNum() + " is destroyed already");
    }
    if (qp.multicastCount() > 0) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "queue pair " + qp.qpNum() + " is attached to " + qp.multicastCount()
          + " multicast groups; detach it first");
    }
    QpStates.reset(qp);
    qp.markDestroyed();
    queuePairs.remove(qp.qpNum());
    core.forget(qp);
    last = null;
    qp.sendCq().use(-1);
    qp.receiveCq().use(-1);
    qp.pd().use(-1);
    core.sharedReceiveQueues.detach(qp.srq());
    if (qp.parent() != null) {
      qp.parent().use(-1);
      qp.freeGivenMemory();
    }
    core.windows().release(qp);
    qp.closeLeases();
    qp.counters().detach();
    core.unpinned().leave(qp.unpinned());
  }
}
