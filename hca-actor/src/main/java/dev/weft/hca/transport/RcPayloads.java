package dev.weft.hca.transport;

import dev.weft.fabric.packet.Payload;
import dev.weft.hca.memory.GatherList;
import dev.weft.hca.netvm.NicPages;

/** The bytes of a requester's packets, from pinned or unpinned memory, or from the inline data that posting has copied. Hardware thread. */
final class RcPayloads {
  private final QpContext qp;
  private final TransportDevice hca;
  /** The bytes of the next packet; their pages are locked. */
  private Payload gathered;

  RcPayloads(QpContext qp, TransportDevice hca) {
    this.qp = qp;
    this.hca = hca;
  }

  /** Whether the bytes of the packet have pages. The packet may have been lost because they have none. */
  boolean isPresent(SendWqe wqe, int index) {
    if (wqe.opcode.isReadOrAtomic() || wqe.unpinned) {
      return true;
    }
    int offset = index * qp.pathMtu;
    return bytes(wqe, offset, (int) Math.min(qp.pathMtu, wqe.length - offset)).isPresent();
  }

  /** Returns the bytes of a packet, lent until the request has ended. */
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

  /** Locks the pages of a packet. Returns ABSENT if a page is absent, which the HCA has then requested; DENIED if a page is not mapped. */
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
      qp.activate(); // The host has evicted the page since; the next look requests it.
      return NicPages.Outcome.ABSENT;
    }
    return NicPages.Outcome.DONE;
  }
}
