package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.verbs.AddressHandle;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.QpInitAttr;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WorkRequest;
import dev.weft.hca.verbs.WrOpcode;

/** Checks that a request fits the queue pair to which it is posted; throws EINVAL if not. Any thread. */
final class PostCheck {
  private final Pd pd;
  private final int qpNum;
  private final QpInitAttr init;

  PostCheck(Pd pd, int qpNum, QpInitAttr init) {
    this.pd = pd;
    this.qpNum = qpNum;
    this.init = init;
  }

  /** Checks everything that does not depend on other requests or on the state of the queue pair. */
  void request(WorkRequest wr) {
    transport(wr);
    if (wr.opcode() == WrOpcode.BIND_MW && wr.bind().window().type() != MemoryWindow.Type.TYPE_2) {
      throw new VerbsException(Errno.EINVAL, "only a window of type 2 can be bound by a work request; use Hca.bindMw");
    }
    if (wr.opcode() == WrOpcode.FLUSH && wr.sgList().count() > 0) {
      throw new VerbsException(Errno.EINVAL, "a FLUSH carries no bytes; leave the scatter/gather elements out");
    }
    if (wr.inlineCount() > 0 || (wr.flags() & SendFlags.INLINE) != 0) {
      inline(wr);
    } else if (wr.sgList().count() > init.maxSendSge()) {
      throw new VerbsException(Errno.EINVAL, "the request has " + wr.sgList().count() + " scatter/gather elements, queue pair "
          + qpNum + " was created for at most " + init.maxSendSge());
    }
  }

  /** Checks that the transport service supports the operation and its destination. */
  void transport(WorkRequest wr) {
    if (!init.type().carries(wr.opcode())) {
      throw new VerbsException(Errno.EINVAL, "queue pair " + qpNum + " is " + init.type() + ", which has no " + wr.opcode());
    }
    if (init.type() != QpType.UD) {
      return;
    }
    AddressHandle handle = wr.addressHandle();
    if (handle == null || handle.isDestroyed() || handle.pd() != pd) {
      throw new VerbsException(Errno.EINVAL, "a datagram needs an address handle of its queue pair's protection domain"
          + (handle == null ? "; use to(handle, qp, qkey)" : handle.isDestroyed() ? ", this one is destroyed" : ", this one is of another"));
    }
    int lowest = Packet.isMulticast(handle.destLid()) ? Packet.MULTICAST_QP : 0;
    if (wr.remoteQpNum() < lowest || wr.remoteQpNum() > Packet.MULTICAST_QP) {
      throw new VerbsException(Errno.EINVAL, "remote queue pair " + wr.remoteQpNum() + " of a datagram must be from " + lowest
          + " to " + Packet.MULTICAST_QP + " for LID " + handle.destLid());
    }
  }

  private void inline(WorkRequest wr) {
    if (wr.inlineCount() == 0) {
      throw new VerbsException(Errno.EINVAL, "INLINE without data; use inline(segment)");
    }
    if (wr.opcode().isReadOrAtomic() || wr.opcode().isLocal() || wr.opcode() == WrOpcode.FLUSH) {
      throw new VerbsException(Errno.EINVAL, wr.opcode() + " cannot be inline; only sends and writes can");
    }
    if (wr.sgList().count() > 0) {
      throw new VerbsException(Errno.EINVAL, "the request has inline data and scatter/gather elements; give one of them");
    }
    for (int i = 0; i < wr.inlineCount(); i++) {
      if (!wr.inlineData(i).scope().isAlive()) {
        throw SendWqe.freed(wr.inlineData(i));
      }
      if (!wr.inlineData(i).isAccessibleBy(Thread.currentThread())) {
        throw new VerbsException(Errno.EINVAL, "the posting thread copies inline data but may not read this memory, which belongs to another "
            + "thread or is virtual memory of the host; for the latter use a scatter/gather element");
      }
    }
    if (wr.inlineBytes() > init.maxInlineData()) {
      throw new VerbsException(Errno.EINVAL, "the request has " + wr.inlineBytes() + " bytes inline, queue pair " + qpNum
          + " was created for at most " + init.maxInlineData());
    }
  }
}
