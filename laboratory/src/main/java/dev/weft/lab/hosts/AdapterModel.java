package dev.weft.lab.hosts;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;

/**
 * Computes when a host channel adapter has sent or received a packet. One engine for each direction handles packets one after another, in
 * order; while the bus moves the data of a packet, the engine may work on the next. Both directions share the bus. An engine fetches the
 * context of a queue pair that is not in its cache of recently used ones. Decision logic only: the caller passes times in, in nanoseconds.
 */
final class AdapterModel {
  /** The operation, without the service, is in the low five bits of every opcode (specification volume 1, table 38). */
  private static final int OPERATION_MASK = 0x1f;
  private static final int QP_BITS = 24;
  private static final int SEND_LAST_WITH_INVALIDATE = 0x16;
  private static final int SEND_ONLY_WITH_INVALIDATE = 0x17;

  private final AdapterCosts costs;
  private final QpContexts sending;
  private final QpContexts receiving;
  private long sendFreeNs;
  private long receiveFreeNs;
  private long busFreeNs;
  private long lastSentNs;
  private long lastReceivedNs;

  AdapterModel(AdapterCosts costs) {
    this.costs = costs;
    this.sending = new QpContexts(costs.qpContexts());
    this.receiving = new QpContexts(costs.qpContexts());
  }

  /** Returns the time at which the first bit of a packet that the HCA sends now may go on the wire. */
  long sent(Packet packet, long nowNs) {
    if (isStreamed(packet)) {
      lastSentNs = Math.max(lastSentNs, streamed(packet, nowNs) + costs.sendPacketNs() + costs.busTransactionNs());
      return lastSentNs;
    }
    int operation = packet.opcode() & OPERATION_MASK;
    boolean startsRequest = startsRequest(operation);
    long startNs = Math.max(sendFreeNs, nowNs + (startsRequest ? costs.doorbellNs() : 0));
    // The packet does not have the local queue pair's number, so its destination identifies the queue pair.
    long contextNs = sending.misses((long) packet.dstLid() << QP_BITS | packet.destQp()) ? costs.qpMissNs() : 0;
    sendFreeNs = startNs + contextNs + (startsRequest ? costs.wqeNs() : 0) + (startsReadResponse(operation) ? costs.readTurnaroundNs() : 0)
        + (operation == Opcode.RC_ACKNOWLEDGE ? costs.ackNs() : costs.sendPacketNs());
    lastSentNs = Math.max(lastSentNs, moved(packet, sendFreeNs));
    return lastSentNs;
  }

  /** Returns the time at which the HCA has handled a packet whose last bit arrives now. */
  long received(Packet packet, long nowNs) {
    if (isStreamed(packet)) {
      long busNs = busNs(packet);
      long atHostNs = Math.max(nowNs, streamed(packet, nowNs - busNs) + busNs);
      lastReceivedNs = Math.max(lastReceivedNs, atHostNs + costs.receivePacketNs() + costs.busTransactionNs());
      return lastReceivedNs;
    }
    int operation = packet.opcode() & OPERATION_MASK;
    boolean isAck = operation == Opcode.RC_ACKNOWLEDGE;
    long contextNs = receiving.misses(packet.destQp()) ? costs.qpMissNs() : 0;
    receiveFreeNs = Math.max(receiveFreeNs, nowNs) + contextNs + (isAck ? costs.ackNs() : costs.receivePacketNs());
    long doneNs = moved(packet, receiveFreeNs);
    if (isAck || completesReceive(operation) || operation == Opcode.RC_ATOMIC_ACKNOWLEDGE) {
      doneNs += costs.completionNs();
    } else if (endsReadResponse(operation)) {
      doneNs += costs.completionNs() + costs.readCompletionNs();
    }
    lastReceivedNs = Math.max(lastReceivedNs, doneNs);
    return lastReceivedNs;
  }

  /** Returns the time at which the first bit of the last sent packet may go on the wire; 0 if no packet was sent. */
  long lastSentNs() {
    return lastSentNs;
  }

  /** The CLAN NIC buffers nothing: words pass while others follow (CLAN paper, section 2.3), so its latencies are those of the first word. */
  private static boolean isStreamed(Packet packet) {
    return Opcode.service(packet.opcode()) == Opcode.SERVICE_CLAN;
  }

  private long busNs(Packet packet) {
    return ProfileReader.transferNs(packet.payload().length(), costs.busBytesPerSecond());
  }

  /** Returns the time at which the bus takes the first word. */
  private long streamed(Packet packet, long fromNs) {
    long startNs = Math.max(busFreeNs, fromNs);
    busFreeNs = startNs + busNs(packet);
    return startNs;
  }

  private long moved(Packet packet, long fromNs) {
    int length = packet.payload().length();
    if (length == 0) {
      return fromNs;
    }
    busFreeNs = Math.max(busFreeNs, fromNs) + ProfileReader.transferNs(length, costs.busBytesPerSecond());
    return busFreeNs + costs.busTransactionNs();
  }

  private static boolean startsRequest(int operation) {
    return switch (operation) {
      case Opcode.RC_SEND_FIRST, Opcode.RC_SEND_ONLY, Opcode.RC_SEND_ONLY_WITH_IMM, SEND_ONLY_WITH_INVALIDATE,
          Opcode.RC_RDMA_WRITE_FIRST, Opcode.RC_RDMA_WRITE_ONLY, Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM,
          Opcode.RC_RDMA_READ_REQUEST, Opcode.RC_CMP_SWAP, Opcode.RC_FETCH_ADD, Opcode.RC_FLUSH, Opcode.RC_ATOMIC_WRITE -> true;
      default -> false;
    };
  }

  private static boolean completesReceive(int operation) {
    return switch (operation) {
      case Opcode.RC_SEND_LAST, Opcode.RC_SEND_LAST_WITH_IMM, SEND_LAST_WITH_INVALIDATE, Opcode.RC_SEND_ONLY,
          Opcode.RC_SEND_ONLY_WITH_IMM, SEND_ONLY_WITH_INVALIDATE, Opcode.RC_RDMA_WRITE_LAST_WITH_IMM,
          Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM -> true;
      default -> false;
    };
  }

  private static boolean startsReadResponse(int operation) {
    return operation == Opcode.RC_RDMA_READ_RESPONSE_FIRST || operation == Opcode.RC_RDMA_READ_RESPONSE_ONLY;
  }

  private static boolean endsReadResponse(int operation) {
    return operation == Opcode.RC_RDMA_READ_RESPONSE_LAST || operation == Opcode.RC_RDMA_READ_RESPONSE_ONLY;
  }
}
