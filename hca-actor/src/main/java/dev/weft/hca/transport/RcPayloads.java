package dev.weft.hca.transport;

import dev.weft.fabric.packet.Payload;
import dev.weft.hca.memory.GatherList;
import dev.weft.hca.netvm.NicPages;

/** Bytes of the packets of a requester: of memory that is pinned, that is not, or that posting has copied. Hardware thread. */
final class RcPayloads {
  private final Qp qp;
  private final HcaView hca;
  /** Bytes of the packet that is sent next, its pages locked. */
  private Payload gathered;

  RcPayloads(Qp qp, HcaView hca) {
    this.qp = qp;
    this.hca = hca;
  }

  /** Whether the bytes of the next packet have pages. Perhaps it was lost because they have none. */
  boolean isPresent(SendWqe wqe, int index) {
    if (wqe.opcode.isReadOrAtomic() || wqe.unpinned) {
      return true;
    }
    int offset = index * qp.pathMtu;
    return bytes(wqe, offset, (int) Math.min(qp.pathMtu, wqe.length - offset)).isPresent();
  }

  /** Bytes of a packet, lent until the request has ended. */
  Payload take(SendWqe wqe, int offset, int count) {
    if (gathered != null) {
      Payload locked = gathered;
      gathered = null;
      return qp.lend(locked);
    }
    return count == 0 ? Payload.EMPTY : qp.lend(bytes(wqe, offset, count));
  }

  private Payload bytes(SendWqe wqe, int offset, int count) {
    if (count == 0) {
      return Payload.EMPTY;
    }
    return wqe.inline ? Payload.of(wqe.inlineBuffer, offset, count, null, null, qp.givenLoan)
        : GatherList.payload(wqe.sgList, wqe.regions, offset, count);
  }

  /** Locks the pages of a packet; ABSENT if one is, then the HCA has asked for it, DENIED if one is not mapped. */
  NicPages.Outcome gather(SendWqe wqe, int index) {
    int offset = index * qp.pathMtu;
    int count = (int) Math.min(qp.pathMtu, wqe.length - offset);
    if (wqe.opcode.isReadOrAtomic() || count == 0) {
      return NicPages.Outcome.DONE;
    }
    NicPages.Outcome outcome = hca.unpinned.look(qp.unpinned, wqe.sgList, wqe.regions, offset, count);
    if (outcome != NicPages.Outcome.DONE) {
      return outcome;
    }
    gathered = hca.unpinned.gather(wqe.sgList, wqe.regions, offset, count);
    if (gathered == null) {
      hca.activate(qp); // The host was faster; the next look asks for the page.
      return NicPages.Outcome.ABSENT;
    }
    return NicPages.Outcome.DONE;
  }
}
