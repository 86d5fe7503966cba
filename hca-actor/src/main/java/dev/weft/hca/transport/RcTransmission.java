package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.verbs.SendFlags;

/** Starts the requests of a reliable requester in order, and sends their packets (specification volume 1, section 9.7.3). Hardware thread. */
final class RcTransmission {
  private final QpContext qp;
  private final TransportDevice hca;
  private final RcSendWindow window;
  private final SendCredit credit;
  private final RcRequestPackets packets;
  private final SendCheck check;
  private final RcPayloads payloads;
  private int rdAtomicOutstanding;

  RcTransmission(QpContext qp, TransportDevice hca, RcSendWindow window, SendCredit credit) {
    this.qp = qp;
    this.hca = hca;
    this.window = window;
    this.credit = credit;
    packets = new RcRequestPackets(qp, hca);
    check = new SendCheck(qp, hca);
    payloads = new RcPayloads(qp, hca);
  }

  /** Forgets the outstanding requests, which have been dropped or flushed. */
  void reset() {
    rdAtomicOutstanding = 0;
  }

  /** Called when a request has completed successfully. */
  void completed(SendWqe wqe) {
    if (wqe.opcode.hasResponse()) {
      rdAtomicOutstanding--;
    }
  }

  /** Whether the bytes of the next packet may be read. Whether they have pages is checked only for a retransmission. */
  boolean isSourceUsable(SendWqe wqe) {
    return SendCheck.isSourceUsable(wqe)
        && (!window.isRetransmission(Psn.add(wqe.firstPsn, window.sentPackets)) || payloads.isPresent(wqe, window.sentPackets));
  }

  /** Locks the pages of the next packet, as {@link RcPayloads#gather}. */
  NicPages.Outcome gather(SendWqe wqe) {
    return payloads.gather(wqe, window.sentPackets);
  }

  boolean mayStart(SendWqe wqe) {
    if (wqe.opcode.isLocal()) {
      return window.una == window.next; // It waits for all earlier requests, so it is always fenced.
    }
    if (wqe.has(SendFlags.FENCE) && rdAtomicOutstanding > 0) {
      return false;
    }
    if (wqe.opcode.hasResponse() && rdAtomicOutstanding > 0 && rdAtomicOutstanding >= qp.maxRdAtomic) {
      return false;
    }
    int count = Math.min(check.packetCount(wqe.length), Psn.PER_MESSAGE_MAX);
    return Psn.diff(window.psnMax, window.psnUna) + count < Psn.WINDOW_MAX;
  }

  /** Validates a request and assigns its PSNs, or records its local error. Returns false if it was local and is done, so that it must be completed. */
  boolean start(SendWqe wqe) {
    wqe.started = true;
    wqe.localError = wqe.opcode.isLocal() ? hca.windows.execute(qp, wqe.opcode, wqe.bind, wqe.invalidateRkey) : check.validate(wqe);
    if (wqe.localError != null) {
      return true;
    }
    if (wqe.opcode.isLocal()) {
      wqe.packets = 0;
      window.next++;
      return false;
    }
    wqe.firstPsn = window.psnMax;
    wqe.packets = wqe.opcode.isAtomic() ? 1 : check.packetCount(wqe.length);
    wqe.countInline(hca.access.copies());
    window.psnMax = Psn.add(window.psnMax, wqe.packets);
    if (wqe.opcode.hasResponse()) {
      rdAtomicOutstanding++;
      if (wqe.unpinned) {
        hca.unpinned.prefetch(wqe.sgList, wqe.regions);
      }
    }
    return true;
  }

  /** Sends the next packet of a started request. */
  void send(SendWqe wqe, int psn) {
    if (window.isRetransmission(psn)) {
      hca.counters.packetsRetransmitted++;
    }
    switch (wqe.opcode) {
      case RDMA_READ -> sendRead(wqe, psn);
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> sendOnly(packets.atomic(wqe, psn));
      case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM -> sendMessagePacket(wqe, psn);
      case FLUSH -> sendOnly(packets.flush(wqe, psn));
      case ATOMIC_WRITE -> sendOnly(packets.atomicWrite(wqe, psn, payloads.take(wqe, 0, (int) wqe.length)));
      case LOCAL_INV, BIND_MW -> throw new IllegalStateException(wqe.opcode + " has no packet");
    }
  }

  private void sendRead(SendWqe wqe, int psn) {
    int offset = window.sentPackets * qp.pathMtu;
    window.advance();
    hca.send(packets.read(wqe, psn, offset));
  }

  private void sendMessagePacket(SendWqe wqe, int psn) {
    int index = window.sentPackets;
    boolean first = index == 0;
    boolean last = index == wqe.packets - 1;
    int offset = index * qp.pathMtu;
    int count = (int) Math.min(qp.pathMtu, wqe.length - offset);
    if (last) {
      window.advance();
    } else {
      window.sentPackets++;
    }
    boolean ackReq = last || (psn + 1) % hca.settings.ackIntervalPackets() == 0
        || Psn.diff(psn, window.psnUna) == hca.settings.windowPackets() - 1 || credit.asksAt(psn);
    hca.send(packets.message(wqe, psn, first, last, ackReq, payloads.take(wqe, offset, count)));
  }

  /** Sends the only packet of a request. */
  private void sendOnly(Packet packet) {
    window.advance();
    hca.send(packet);
  }
}
