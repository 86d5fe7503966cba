package dev.weft.tripwire;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.util.ArrayDeque;

/**
 * What a NIC tells others that it did not take, and what becomes of being told. Hardware thread. Bound: {@code outbound-packets}; a refusal
 * that finds no room is counted.
 */
final class Refusals {
  /** Kinds of things that are refused, in the upper bits of a refusal's port. */
  static final int WRITE = 0;
  static final int READ = 1 << 8;
  static final int MESSAGE = 2 << 8;
  /** A flow to a multicast aperture is broken; its address is the group's LID. */
  static final int GROUP = 3 << 8;
  private static final int KIND_MASK = ~0xff;

  final ArrayDeque<Outbound> waiting = new ArrayDeque<>();
  private final NicCore core;
  private final Reads reads;

  Refusals(NicCore core, Reads reads) {
    this.core = core;
    this.reads = reads;
  }

  /** Tells a host; of stores with one key, once. */
  void add(int lid, int kind, Status status, long address, long key) {
    for (Outbound other : waiting) {
      if (kind == WRITE && other.lid() == lid && other.key() == key && other.port() == (kind | status.ordinal())) {
        return;
      }
    }
    if (waiting.size() >= core.settings.outboundPackets()) {
      core.counters.refusalsLost++;
      return;
    }
    core.counters.refusalsSent++;
    waiting.add(new Outbound(Opcode.CLAN_REFUSED, lid, kind | status.ordinal(), address, key, Payload.EMPTY, null, 0, false));
  }

  void forget(int lid) {
    waiting.removeIf(refusal -> refusal.lid() == lid);
  }

  /** Another NIC has refused something. */
  void onRefused(Packet packet) {
    core.counters.refusalsReceived++;
    Status status = Status.of(packet.destQp() & ~KIND_MASK);
    switch (packet.destQp() & KIND_MASK) {
      case READ -> onReadRefused(packet, status);
      case MESSAGE -> {
        Endpoint from = core.tables.endpoint((int) packet.compare());
        if (from != null) {
          from.deliver(new Endpoint.Message(packet.srcLid(), (int) packet.va(), new byte[0], status));
        }
      }
      case GROUP -> core.breakGroup((int) packet.va(), packet.compare(), status);
      default -> {
        if (status == Status.BROKEN) {
          core.breakPeer(packet.srcLid(), status);
        } else {
          core.tables.failMappings(packet.srcLid(), NetworkAddress.number(packet.va()), packet.compare(), status);
        }
      }
    }
  }

  private void onReadRefused(Packet packet, Status status) {
    Reads.Read read = reads.find((int) packet.compare());
    if (read != null && read.from.lid == packet.srcLid()) {
      if (status == Status.REVOKED) {
        read.from.fail(status);
      }
      reads.end(read, status);
    }
  }
}
