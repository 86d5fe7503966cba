package dev.weft.hca.transport;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.WcOpcode;
import dev.weft.hca.verbs.WcStatus;

/**
 * The responder half of an unreliable connected queue pair (specification volume 1, section 9.8.2.2). It drops a message unless all its packets
 * arrive in order and are valid. Then it resumes at the next first packet, and the receive stays for the next message. Used on the hardware thread only.
 *
 * <p>Invariant: a message that completes was placed completely. The placed part of a dropped message stays in memory.
 */
final class UcResponder extends UnreliableResponder {
  private enum Operation { NONE, SEND, WRITE }

  private int ePsn;
  private Operation operation = Operation.NONE;
  private boolean established;
  private ReceiveQueue.Wqe receive;
  private long received;
  private Mr writeRegion;
  private long writeAddr;
  private long writeLeft;
  private long writeTotal;

  UcResponder(QpContext qp, TransportDevice hca, ReceiveSource rq) {
    super(qp, hca, rq);
  }

  @Override
  void reset() {
    super.reset();
    forget();
    established = false;
  }

  @Override
  void start(int rqPsn, int maxDestRdAtomic) {
    ePsn = rqPsn;
  }

  @Override
  int ePsn() {
    return ePsn;
  }

  private void forget() {
    operation = Operation.NONE;
    receive = null;
  }

  private void dropMessage(Packet packet) {
    drop(packet);
    forget();
  }

  @Override
  public void onRequest(Packet packet) {
    boolean expected = packet.psn() == ePsn;
    ePsn = Psn.add(packet.psn(), 1);
    if (!expected) {
      hca.counters.outOfSequenceRequests++;
    }
    tellEstablished();
    boolean first = isFirst(packet.opcode());
    Operation kind = packet.opcode() < Opcode.UC_RDMA_WRITE_FIRST ? Operation.SEND : Operation.WRITE;
    if (operation != Operation.NONE && (first || !expected || kind != operation)) {
      dropMessage(packet);
    }
    if (!first && operation == Operation.NONE) {
      hca.counters.packetsDropped++; // The rest of a message that was dropped or whose first packet was lost.
    } else if (!hasRightLength(packet) || !packet.payload().isReadable() || hca.unpinned.refuses(packet)) {
      dropMessage(packet);
    } else if (kind == Operation.SEND) {
      onSend(packet, first);
    } else {
      onWrite(packet, first);
    }
  }

  private void tellEstablished() {
    if (!established) {
      established = true;
      if (qp.state == QpState.RTR) {
        hca.event(AsyncEvent.Type.COMM_EST, qp.qpNum());
      }
    }
  }

  private static boolean isFirst(int opcode) {
    return opcode == Opcode.UC_SEND_FIRST || opcode == Opcode.UC_RDMA_WRITE_FIRST || isOnly(opcode);
  }

  private static boolean isOnly(int opcode) {
    return opcode == Opcode.UC_SEND_ONLY || opcode == Opcode.UC_SEND_ONLY_WITH_IMM || opcode == Opcode.UC_RDMA_WRITE_ONLY
        || opcode == Opcode.UC_RDMA_WRITE_ONLY_WITH_IMM;
  }

  private static boolean isLast(int opcode) {
    return isOnly(opcode) || opcode == Opcode.UC_SEND_LAST || opcode == Opcode.UC_SEND_LAST_WITH_IMM
        || opcode == Opcode.UC_RDMA_WRITE_LAST || opcode == Opcode.UC_RDMA_WRITE_LAST_WITH_IMM;
  }

  private boolean hasRightLength(Packet packet) {
    int length = packet.payload().length();
    return isLast(packet.opcode()) ? length <= qp.pathMtu && (length > 0 || isOnly(packet.opcode())) : length == qp.pathMtu;
  }

  private void onSend(Packet packet, boolean first) {
    if (first) {
      received = 0;
      receive = usableReceive(true);
    }
    int length = packet.payload().length();
    if (receive == null || received + length > receive.length) {
      dropMessage(packet);
      return;
    }
    if (length > 0 && !hca.access.place(packet.payload(), receive.sgList, receive.regions, received)) {
      failReceive(receive);
      return;
    }
    received += length;
    operation = Operation.SEND;
    if (isLast(packet.opcode())) {
      forget();
      completeReceive(packet, WcOpcode.RECV, (int) received);
    }
  }

  private void completeReceive(Packet packet, WcOpcode opcode, int byteLen) {
    long wrId = rq.take().wrId;
    rq.done();
    hca.completions.completeReceive(qp, wrId, WcStatus.SUCCESS, opcode, byteLen, Opcode.hasImmDt(packet.opcode()), false, packet.immediate(),
        packet.solicited());
  }

  private void onWrite(Packet packet, boolean first) {
    if (first && !beginWrite(packet)) {
      dropMessage(packet);
      return;
    }
    int length = packet.payload().length();
    boolean last = isLast(packet.opcode());
    boolean imm = Opcode.hasImmDt(packet.opcode());
    if ((last ? length != writeLeft : length > writeLeft) || (imm && usableReceive(false) == null)
        || (length > 0 && !hca.access.place(packet.payload(), writeRegion, writeAddr, !last))) {
      dropMessage(packet);
      return;
    }
    writeAddr += length;
    writeLeft -= length;
    operation = last ? Operation.NONE : Operation.WRITE;
    if (last) {
      qp.counters.completed(CompletionCounter.Operation.REMOTE_RDMA_WRITE, true);
    }
    if (imm) {
      completeReceive(packet, WcOpcode.RECV_RDMA_WITH_IMM, (int) writeTotal);
    }
  }

  private boolean beginWrite(Packet packet) {
    writeAddr = packet.va();
    writeTotal = Integer.toUnsignedLong(packet.dmaLength());
    writeLeft = writeTotal;
    writeRegion = null;
    if (writeTotal > hca.settings.messageMaxBytes() || (qp.accessFlags & Access.REMOTE_WRITE) == 0) {
      return false;
    }
    if (writeTotal == 0) {
      return true;
    }
    writeRegion = hca.memory.findRemote(packet.rkey(), qp, packet.va(), writeTotal, Access.REMOTE_WRITE);
    return writeRegion != null;
  }

  @Override
  public void flush(boolean keepAnswers) {
    forget();
    super.flush(keepAnswers);
  }
}
