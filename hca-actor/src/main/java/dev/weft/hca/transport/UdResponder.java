package dev.weft.hca.transport;

import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.RoceV2;
import java.lang.foreign.MemorySegment;

/**
 * The responder half of a datagram queue pair (specification volume 1, section 9.8.3). Each packet is a message. The first 40 bytes of the receive
 * buffer hold the global route header. Used on the hardware thread only.
 */
final class UdResponder extends UnreliableResponder {
  private static final int OVERHEAD_BYTES = 12 + 8 + 4;

  private final byte[] header = new byte[RoceV2.GRH_LENGTH];
  private final Payload headerBytes = Payload.of(MemorySegment.ofArray(header), 0, RoceV2.GRH_LENGTH);

  UdResponder(QpContext qp, TransportDevice hca, ReceiveSource rq) {
    super(qp, hca, rq);
  }

  @Override
  void start(int rqPsn, int maxDestRdAtomic) {}

  @Override
  int ePsn() {
    return 0;
  }

  @Override
  public void onRequest(Packet packet) {
    if (packet.qkey() != qp.qkey) {
      hca.counters.qkeyViolations++;
      drop(packet);
      return;
    }
    if (hca.unpinned.refuses()) {
      drop(packet);
      return;
    }
    int length = packet.payload().length();
    ReceiveQueue.Wqe wqe = usableReceive(true);
    if (wqe == null || RoceV2.GRH_LENGTH + (long) length > wqe.length || !packet.payload().isReadable()) {
      drop(packet); // The receive stays for the next message.
      return;
    }
    RoceV2.putGrh(header, 0, packet.srcLid(), packet.dstLid(), packet.serviceLevel(), (length + 3 & ~3) + OVERHEAD_BYTES);
    if (!hca.access.placeHeader(headerBytes, wqe.sgList, wqe.regions)
        || (length > 0 && !hca.access.place(packet.payload(), wqe.sgList, wqe.regions, RoceV2.GRH_LENGTH))) {
      failReceive(wqe);
      return;
    }
    long wrId = wqe.wrId;
    rq.done();
    hca.completions.completeDatagram(qp, wrId, RoceV2.GRH_LENGTH + length, packet);
  }
}
