package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.tripwire.driver.PortEndpoint;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.Status;
import java.util.ArrayDeque;

/**
 * Refusals and reports to other NICs that wait to be sent, and those that arrive. Hardware thread. Bound: {@code outbound-packets}; further ones are
 * counted and lost.
 */
final class Refusals {
  /** Kinds of refusals, in the upper bits of a refusal's port; {@link Hello#ANSWER} is another kind. */
  static final int WRITE = 0;
  static final int READ = 1 << 8;
  static final int MESSAGE = 2 << 8;
  /** A flow to a multicast aperture is broken; the address is the group's LID. Sent to one NIC that writes there. */
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

  /**
   * Refuses something; {@code key} identifies it for the other NIC: a key, a tag or a port. While a refusal waits, further writes of the same mapping
   * add none.
   */
  void refuse(int lid, int kind, Status status, long address, long key) {
    for (Outbound other : waiting) {
      if (kind == WRITE && other.lid() == lid && other.key() == key && other.port() == (kind | status.ordinal())) {
        return;
      }
    }
    boolean said = add(status, new Outbound(Opcode.CLAN_REFUSED, lid, kind | status.ordinal(), address, key, Payload.EMPTY, null, 0, false));
    if (kind == WRITE) {
      Flows.Incoming flow = core.flows.from(lid);
      if (said) {
        flow.refused++;
      } else {
        core.arrivals.onGap(flow, flow.expected()); // Breaks the flow, which is reported until the sender has learned it.
      }
    }
  }

  private boolean add(Status status, Outbound said) {
    if (waiting.size() >= waitingMax) {
      core.counters.refusalsLost++;
      return false;
    }
    core.counters.refusalsSent += status == Status.OK ? 0 : 1;
    waiting.add(said);
    return true;
  }

  /**
   * Sends a report about a flow from another NIC. It is not part of the reverse flow, which may be broken, too, and takes no position there. Instead
   * {@code at} has the start of the flow, or for a group, whose members need not know the start, the position of the refused packet. The report
   * replaces a waiting one of the same kind for the same flow, so an answer follows the refusals that it counts.
   */
  void tell(int lid, int kind, Status status, long address, long key, int at, boolean known) {
    Outbound said = new Outbound(Opcode.CLAN_REFUSED, lid, kind | status.ordinal(), address, key, Payload.EMPTY, null, at, known);
    boolean isNew = true;
    for (int left = waiting.size(); left > 0; left--) {
      Outbound other = waiting.poll();
      if (other.lid() == said.lid() && other.port() == said.port() && other.key() == said.key()) {
        isNew = false;
      } else {
        waiting.add(other);
      }
    }
    if (isNew) {
      add(status, said);
    } else {
      waiting.add(said); // There is room, because the other report was removed.
    }
  }

  /** Whether a packet to that port is a report about a flow: that it is broken, or an answer. */
  static boolean isOutOfFlow(int opcode, int port) {
    return opcode == Opcode.CLAN_REFUSED && (port == (WRITE | Status.BROKEN.ordinal()) || port == (GROUP | Status.BROKEN.ordinal())
        || port == (Hello.ANSWER | Status.OK.ordinal()));
  }

  /** Whether a report is about an earlier start of the flow, or about a flow that is known to be broken. */
  private boolean isOld(Packet packet, int lid) {
    Flows.Outgoing flow = core.flows.to(lid);
    return !flow.open || packet.solicited() && packet.immediate() != flow.openedAt;
  }

  void onRefused(Packet packet) {
    Status status = Status.of(packet.destQp() & STATUS_MASK);
    core.counters.refusalsReceived += status == Status.OK ? 0 : 1;
    switch (packet.destQp() & ~STATUS_MASK) {
      case Hello.ANSWER -> core.hello.onAnswer(packet);
      case READ -> {
        Reads.Read read = core.reads.find((int) packet.compare());
        if (read != null && read.from.lid == packet.srcLid()) {
          if (status == Status.REVOKED) {
            read.from.fail(status, "its owner has revoked it, or never gave that key; a read was refused");
          }
          core.reads.end(read, status);
        }
      }
      case MESSAGE -> {
        PortEndpoint from = core.tables.endpoint((int) packet.compare());
        if (from != null) {
          from.deliver(new Endpoint.Message(packet.srcLid(), (int) packet.va(), new byte[0], status));
        }
      }
      case GROUP -> core.multicast.onBroken((int) packet.va(), packet.compare(), packet.immediate(), status);
      default -> {
        if (status == Status.BROKEN) {
          if (isOld(packet, packet.srcLid())) {
            return;
          }
          core.breakPeer(packet.srcLid(), status, breach(packet));
        } else {
          core.flows.to(packet.srcLid()).refusalsHeard++;
          core.tables.failMappings(packet.srcLid(), NetworkAddress.number(packet.va()), packet.compare(), status,
              "its owner refused a write at offset " + NetworkAddress.offset(packet.va()) + ": " + status);
        }
      }
    }
  }

  private static String breach(Packet packet) {
    int at = (int) (packet.va() >>> Integer.SIZE);
    int came = (int) packet.va();
    return "the NIC with LID " + packet.srcLid() + (at == came
        ? " could not take what was sent at position " + (at & 0xffff_ffffL) + " of the flow: the memory that it came from was gone, or too"
            + " much had been refused"
        : " waited for position " + (at & 0xffff_ffffL) + " of the flow and " + (came & 0xffff_ffffL)
            + " came: packets were lost on the way, as when a link goes down; see the discards of the switch ports");
  }
}
