package dev.weft.hca.transport;

import dev.weft.fabric.packet.Aeth;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.CompletionCounter;
import dev.weft.hca.verbs.FlushType;
import java.lang.invoke.VarHandle;

/**
 * Checks and executes FLUSH and ATOMIC_WRITE at the target of a reliable connected queue pair (specification volume 1, annex A19). Both are processed
 * in PSN order, so a FLUSH finds all earlier writes placed. Hardware thread.
 */
final class RcPlacement {
  /** Result of {@link #execute}: done. Results other than DONE and LOST are NAK syndromes. */
  static final int DONE = -1;
  /** Result of {@link #execute}: the sender's bytes are no longer readable, so the packet counts as lost. */
  static final int LOST = -2;

  private static final int ATOMIC_BYTES = 8;

  private final QpContext qp;
  private final TransportDevice hca;

  RcPlacement(QpContext qp, TransportDevice hca) {
    this.qp = qp;
    this.hca = hca;
  }

  static boolean isPlacement(int opcode) {
    return opcode == Opcode.RC_FLUSH || opcode == Opcode.RC_ATOMIC_WRITE;
  }

  int execute(Packet packet) {
    return packet.opcode() == Opcode.RC_FLUSH ? flush(packet) : atomicWrite(packet);
  }

  private int flush(Packet packet) {
    int types = packet.immediate() & FlushType.ALL;
    int rights = ((types & FlushType.GLOBAL) != 0 ? Access.FLUSH_GLOBAL : 0)
        | ((types & FlushType.PERSISTENT) != 0 ? Access.FLUSH_PERSISTENT : 0);
    if (types == 0 || packet.dmaLength() < 0 || (qp.accessFlags & rights) != rights) {
      return Aeth.NAK_INVALID_REQUEST;
    }
    Mr mr = hca.memory.find(packet.rkey(), qp.pd());
    if (mr == null || (mr.access() & rights) != rights || !mr.serves(qp)) {
      return Aeth.NAK_REMOTE_ACCESS_ERROR;
    }
    boolean whole = (packet.immediate() & Packet.FLUSH_REGION) != 0;
    if (!whole && !mr.contains(packet.va(), packet.dmaLength())) {
      return Aeth.NAK_REMOTE_ACCESS_ERROR;
    }
    VarHandle.fullFence();
    if ((types & FlushType.PERSISTENT) != 0 && (whole || packet.dmaLength() > 0) && !force(mr, whole, packet)) {
      return Aeth.NAK_REMOTE_ACCESS_ERROR;
    }
    hca.counters.flushesExecuted++;
    return DONE;
  }

  /**
   * Forces the bytes to the disk and waits for it; returns false if the memory is no longer accessible. Only regions that are mapped from a file grant
   * FLUSH_PERSISTENT, and only if the settings allow it.
   */
  private static boolean force(Mr mr, boolean whole, Packet packet) {
    try {
      (whole ? mr.segment() : mr.segment().asSlice(packet.va() - mr.addr(), packet.dmaLength())).force();
      return true;
    } catch (IllegalStateException closed) {
      return false;
    }
  }

  private int atomicWrite(Packet packet) {
    if (packet.payload().length() != ATOMIC_BYTES || packet.dmaLength() != ATOMIC_BYTES || (packet.va() & 7) != 0
        || (qp.accessFlags & Access.REMOTE_WRITE) == 0) {
      return Aeth.NAK_INVALID_REQUEST;
    }
    Mr mr = hca.memory.find(packet.rkey(), qp.pd());
    if (mr == null || (mr.access() & Access.REMOTE_WRITE) == 0 || !mr.contains(packet.va(), ATOMIC_BYTES)
        || !mr.serves(qp)) {
      return Aeth.NAK_REMOTE_ACCESS_ERROR;
    }
    // Unpinned memory is rejected: a write to an absent page goes through the redirect buffer and is then not one access to memory.
    if (mr.isUnpinned() || !hca.access.isWordAligned(mr, packet.va())) {
      return Aeth.NAK_REMOTE_OPERATIONAL_ERROR;
    }
    if (!packet.payload().isReadable()) {
      return LOST;
    }
    if (!hca.access.placeWord(packet.payload(), mr, packet.va())) {
      return Aeth.NAK_REMOTE_ACCESS_ERROR;
    }
    hca.counters.atomicWritesExecuted++;
    qp.counters.completed(CompletionCounter.Operation.REMOTE_RDMA_WRITE, true);
    return DONE;
  }
}
