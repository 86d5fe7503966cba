package dev.weft.tripwire;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.util.ArrayDeque;

/**
 * What was not taken from other NICs and is to be said to them, and what they say that they have not taken. Hardware thread. Bound: {@code
 * outbound-packets}; more are counted and lost.
 */
final class Refusals {
  /** Kinds of things that are refused, in the upper bits of a refusal's port; {@link Hello#ANSWER} is another. */
  static final int WRITE = 0;
  static final int READ = 1 << 8;
  static final int MESSAGE = 2 << 8;
  /** A flow to a multicast aperture is broken; its address is the group's LID. */
  static final int GROUP = 4 << 8;
  private static final int STATUS_MASK = 0xff;

  private final NicCore core;
  private final int waitingMax;
  private final ArrayDeque<Outbound> waiting = new ArrayDeque<>();

  Refusals(NicCore core, int waitingMax) {
    this.core = core;
    this.waitingMax = waitingMax;
  }

  ArrayDeque<Outbound> waiting() {
    return waiting;
  }

  /** {@code key} is what the other NIC knows it by: a key, a tag or a port. Writes of one mapping are refused once while that waits. */
  void refuse(int lid, int kind, Status status, long address, long key) {
    for (Outbound other : waiting) {
      if (kind == WRITE && other.lid() == lid && other.key() == key && other.port() == (kind | status.ordinal())) {
        return;
      }
    }
    if (waiting.size() >= waitingMax) {
      core.counters.refusalsLost++;
      return;
    }
    core.counters.refusalsSent += status == Status.OK ? 0 : 1;
    waiting.add(new Outbound(Opcode.CLAN_REFUSED, lid, kind | status.ordinal(), address, key, Payload.EMPTY, null, 0, false));
  }

  /** Whether a packet says that the whole flow to its sender is broken. */
  static boolean isBroken(Packet packet) {
    return packet.opcode() == Opcode.CLAN_REFUSED && packet.destQp() == (WRITE | Status.BROKEN.ordinal());
  }

  void onRefused(Packet packet) {
    Status status = Status.of(packet.destQp() & STATUS_MASK);
    core.counters.refusalsReceived += status == Status.OK ? 0 : 1;
    switch (packet.destQp() & ~STATUS_MASK) {
      case Hello.ANSWER -> core.hello.onAnswer(packet.srcLid());
      case READ -> {
        Reads.Read read = core.reads.find((int) packet.compare());
        if (read != null && read.from.lid == packet.srcLid()) {
          if (status == Status.REVOKED) {
            read.from.fail(status);
          }
          core.reads.end(read, status);
        }
      }
      case MESSAGE -> {
        Endpoint from = core.tables.endpoint((int) packet.compare());
        if (from != null) {
          from.deliver(new Endpoint.Message(packet.srcLid(), (int) packet.va(), new byte[0], status));
        }
      }
      case GROUP -> core.multicast().onBroken((int) packet.va(), packet.compare(), status);
      default -> {
        if (status == Status.BROKEN) {
          core.breakPeer(packet.srcLid(), status);
        } else {
          core.tables.failMappings(packet.srcLid(), NetworkAddress.number(packet.va()), packet.compare(), status);
        }
      }
    }
  }
}
