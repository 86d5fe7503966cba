package dev.weft.hca.transport;

import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WrOpcode;

/** Checks whether a work request of a reliable connection may be sent, and computes its number of packets. Hardware thread. */
final class SendCheck {
  private final QpContext qp;
  private final TransportDevice hca;

  SendCheck(QpContext qp, TransportDevice hca) {
    this.qp = qp;
    this.hca = hca;
  }

  /** Returns the number of packets of a message, which may be longer than allowed. */
  int packetCount(long lengthBytes) {
    return lengthBytes == 0 ? 1 : (int) Math.min(Integer.MAX_VALUE, (lengthBytes + qp.pathMtu - 1) / qp.pathMtu);
  }

  /** Resolves the regions of a request; returns its error status, or null if it may be sent. */
  WcStatus validate(SendWqe wqe) {
    if (wqe.length > hca.settings.messageMaxBytes() || packetCount(wqe.length) > Psn.PER_MESSAGE_MAX) {
      return WcStatus.LOC_LEN_ERR;
    }
    if ((wqe.opcode.isAtomic() || wqe.opcode == WrOpcode.ATOMIC_WRITE) && wqe.length != 8) {
      return WcStatus.LOC_LEN_ERR;
    }
    if (wqe.opcode.hasResponse() && qp.maxRdAtomic == 0) {
      return WcStatus.LOC_QP_OP_ERR;
    }
    if (wqe.inline) {
      return null;
    }
    int access = wqe.opcode.isReadOrAtomic() ? Access.LOCAL_WRITE : 0;
    wqe.regions = hca.access.resolve(wqe.sgList, wqe.regions, qp.pd(), access);
    wqe.unpinned = wqe.regions != null && hca.unpinned.hasAny(wqe.sgList, wqe.regions);
    return wqe.regions == null ? lostRegions(wqe) : null;
  }

  private static WcStatus lostRegions(SendWqe wqe) {
    wqe.regions = new Mr[wqe.sgList.count()];
    return WcStatus.LOC_PROT_ERR;
  }

  /** Whether the bytes of a send or write may still be read, that is, its regions are registered and their arenas are open. */
  static boolean isSourceUsable(SendWqe wqe) {
    if (wqe.inline || wqe.opcode.isReadOrAtomic() || wqe.localError != null) {
      return true;
    }
    for (int i = 0; i < wqe.sgList.count(); i++) {
      if (wqe.sgList.length(i) > 0 && !wqe.regions[i].isUsable()) {
        return false;
      }
    }
    return true;
  }
}
