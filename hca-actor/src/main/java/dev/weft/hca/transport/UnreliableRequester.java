package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.hca.memory.GatherList;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.SendFlags;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WrOpcode;
import java.lang.foreign.MemorySegment;

/**
 * The requester half of a queue pair without acknowledgements (specification volume 1, section 9.8). A request is complete
 * when its last packet was passed to the link. Packets carry copies, so the program may change the bytes from then on. A request that fails takes
 * the send queue to SQE. Used on the hardware thread only.
 *
 * <p>Invariants: {@code next <= tail}; all requests before {@code next} are completed.
 */
abstract class UnreliableRequester extends Requester {
  final QpContext qp;
  final TransportDevice hca;
  private final SendQueue sq;
  /** The request that is being transmitted or is transmitted next. */
  private long next;
  /** The number of packets of {@code next} that have been sent. */
  private int sentPackets;
  private int psn;

  UnreliableRequester(QpContext qp, TransportDevice hca, SendQueue sq) {
    this.qp = qp;
    this.hca = hca;
    this.sq = sq;
  }

  /** The largest payload of a packet in bytes. */
  abstract int mtu();

  /** The length in bytes of the longest message to the destination of {@code wqe}. */
  abstract long messageMax(SendWqe wqe);

  /** Creates the packet of {@code wqe} with these bytes. */
  abstract Packet packet(SendWqe wqe, int packetPsn, boolean first, boolean last, Payload payload);

  /** The service level with which {@code wqe} is sent. */
  abstract int serviceLevel(SendWqe wqe);

  @Override
  public void reset() {
    next = sq.tail();
    sq.forget(next);
    sentPackets = 0;
  }

  @Override
  void start(int sqPsn) {
    psn = sqPsn;
  }

  @Override
  int psnMax() {
    return psn;
  }

  @Override
  int psnUna() {
    return psn;
  }

  @Override
  public boolean allSent() {
    return next == sq.tail();
  }

  @Override
  public int serviceLevel() {
    return allSent() ? qp.serviceLevel : serviceLevel(sq.slot(next));
  }

  @Override
  public boolean waitsForLink() {
    return false;
  }

  @Override
  boolean isDrained() {
    return qp.state == QpState.SQD && sentPackets == 0;
  }

  @Override
  public boolean transmitOne(long nowNs) {
    if (allSent()) {
      return false;
    }
    SendWqe wqe = sq.slot(next);
    if (!hca.mayTransmit(serviceLevel(wqe))) {
      qp.activate(); // The request was posted just now and uses another lane than the scheduler has checked, so it waits for a credit of that lane.
      return false;
    }
    if (!wqe.started) {
      if (qp.state != QpState.RTS) {
        return false;
      }
      wqe.started = true;
      wqe.localError = check(wqe);
      wqe.packets = packetCount(wqe.length);
      wqe.countInline(hca.access.copies());
    }
    if (wqe.unpinned && wqe.localError == null && awaitsPages(wqe)) {
      return false;
    }
    int offset = sentPackets * mtu();
    Payload payload = wqe.localError != null ? null : copy(wqe, offset, (int) Math.min(mtu(), wqe.length - offset));
    if (payload == null && wqe.localError == null && wqe.unpinned && isUsable(wqe)) {
      qp.activate(); // The host has evicted the page since; the next look requests it.
      return false;
    }
    if (payload == null) {
      fail(wqe, wqe.localError == null ? WcStatus.LOC_PROT_ERR : wqe.localError);
      return false;
    }
    boolean last = sentPackets == wqe.packets - 1;
    Packet packet = packet(wqe, psn, sentPackets == 0, last, payload);
    psn = Psn.add(psn, 1);
    sentPackets++;
    hca.sendOrLose(packet);
    if (last) {
      complete(wqe);
    }
    return true;
  }

  private int packetCount(long lengthBytes) {
    return lengthBytes == 0 ? 1 : (int) Math.min(Integer.MAX_VALUE, (lengthBytes + mtu() - 1) / mtu());
  }

  private WcStatus check(SendWqe wqe) {
    if (wqe.length > messageMax(wqe) || packetCount(wqe.length) > Psn.PER_MESSAGE_MAX) {
      return WcStatus.LOC_LEN_ERR;
    }
    if (wqe.inline) {
      return null;
    }
    Mr[] regions = hca.access.resolve(wqe.sgList, wqe.regions, qp.pd(), 0);
    if (regions == null) {
      return WcStatus.LOC_PROT_ERR;
    }
    wqe.regions = regions;
    wqe.unpinned = hca.unpinned.hasAny(wqe.sgList, regions);
    return null;
  }

  /** Whether pages of the next packet are absent; then the HCA has requested them. */
  private boolean awaitsPages(SendWqe wqe) {
    int offset = sentPackets * mtu();
    int count = (int) Math.min(mtu(), wqe.length - offset);
    if (count <= 0) {
      return false;
    }
    NicPages.Outcome outcome = hca.unpinned.look(qp.unpinned, wqe.sgList, wqe.regions, offset, count);
    wqe.localError = outcome == NicPages.Outcome.DENIED ? WcStatus.LOC_PROT_ERR : null;
    return outcome == NicPages.Outcome.ABSENT;
  }

  /** Copies the bytes of a packet, as a DMA engine would read them; returns null if the memory is no longer accessible. */
  private Payload copy(SendWqe wqe, int offset, int count) {
    if (count == 0) {
      return Payload.EMPTY;
    }
    if (!wqe.inline && !isUsable(wqe)) {
      return null;
    }
    MemorySegment bytes = MemorySegment.ofArray(new byte[count]);
    try {
      if (wqe.unpinned) {
        return hca.unpinned.copy(wqe.sgList, wqe.regions, offset, bytes, hca.access.copies());
      }
      Payload source = wqe.inline ? Payload.of(wqe.inlineBuffer, offset, count) : GatherList.payload(wqe.sgList, wqe.regions, offset, count);
      source.copyTo(bytes, 0, hca.access.copies());
    } catch (IllegalStateException closed) {
      return null;
    } catch (PayloadLostException gone) {
      wqe.localError = WcStatus.LOC_PROT_ERR;
      return null;
    }
    return Payload.of(bytes, 0, count);
  }

  private static boolean isUsable(SendWqe wqe) {
    for (int i = 0; i < wqe.sgList.count(); i++) {
      if (wqe.sgList.length(i) > 0 && !wqe.regions[i].isUsable()) {
        return false;
      }
    }
    return true;
  }

  private void complete(SendWqe wqe) {
    sentPackets = 0;
    release(wqe, wqe.has(SendFlags.SIGNALED) || qp.sqSigAll ? WcStatus.SUCCESS : null);
    if (isDrained()) {
      qp.drained();
    }
  }

  private void fail(SendWqe wqe, WcStatus status) {
    sentPackets = 0;
    release(wqe, status);
    qp.fail(status.name());
    qp.toSendQueueError();
  }

  /** Ends the oldest request; writes a completion unless {@code status} is null. Polling a completion frees its slot. */
  private void release(SendWqe wqe, WcStatus status) {
    long wrId = wqe.wrId;
    WrOpcode opcode = wqe.opcode;
    next++;
    sq.complete(next);
    qp.counters.sendCompleted(opcode, status == null || status == WcStatus.SUCCESS);
    if (status != null) {
      hca.completions.completeSend(qp, next, wrId, opcode.completion(), status, 0);
    }
  }

  @Override
  public void onResponse(Packet packet, long nowNs) {
    hca.counters.packetsDropped++; // These services have no responses.
  }

  @Override
  void onDeadline(long nowNs) {
    deadlineNs = NEVER;
  }

  @Override
  public void onLinkDown(long nowNs) {}

  @Override
  void flush() {
    sentPackets = 0;
    while (next < sq.tail()) {
      release(sq.slot(next), WcStatus.WR_FLUSH_ERR);
    }
  }
}
