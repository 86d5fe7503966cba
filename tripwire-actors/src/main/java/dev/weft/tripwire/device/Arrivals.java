package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Bursts;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.TargetLostException;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.driver.PortEndpoint;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;

/** Handles arriving packets: checks their position in the flow and their rights, and places them. Hardware thread. */
final class Arrivals {
  private final NicCore core;
  private final NicDevice nic;

  Arrivals(NicCore core, NicDevice nic) {
    this.core = core;
    this.nic = nic;
  }

  /** Handles a packet, and releases it. */
  void deal(Packet packet) {
    int opcode = packet.opcode();
    if (!Opcode.hasBurst(opcode) || core.isClosed()) {
      core.counters.packetsDropped++;
    } else if (packet.isMulticast()) {
      core.multicast.onPacket(packet);
    } else if (opcode == Opcode.CLAN_OPEN) {
      Flows.Verdict verdict = core.hello.onOpen(packet);
      if (verdict == Flows.Verdict.GAP || verdict == Flows.Verdict.NOT_OPEN) {
        onGap(core.flows.from(packet.srcLid()), (int) packet.va());
      }
    } else if (Refusals.isOutOfFlow(packet.opcode(), packet.destQp())) {
      core.refusals.onRefused(packet);
    } else {
      follow(packet, core.flows.from(packet.srcLid()));
    }
    packet.release();
  }

  private void follow(Packet packet, Flows.Incoming flow) {
    switch (flow.next(packet.immediate(), Bursts.positions(packet))) {
      case TAKE -> take(packet, flow);
      case DUPLICATE -> core.counters.duplicates++;
      case GAP, NOT_OPEN -> onGap(flow, packet.immediate());
    }
    if (packet.ackReq()) {
      core.hello.answer(flow);
    }
  }

  /** Handles a gap. {@code came} is the position that arrived instead of the next one, or the next one if it cannot be taken. */
  void onGap(Flows.Incoming flow, int came) {
    core.counters.gaps++;
    boolean isNews = !flow.isTold();
    if (flow.fail(came, core.nowNs())) {
      core.refusals.tell(flow.lid, Refusals.WRITE, Status.BROKEN, flow.breach(), 0, flow.openedAt, flow.isKnown());
    }
    if (isNews) {
      nic.peerBroken(flow.lid);
    }
  }

  private void take(Packet packet, Flows.Incoming flow) {
    switch (packet.opcode()) {
      case Opcode.CLAN_WRITE -> onWrite(packet, flow);
      case Opcode.CLAN_READ -> onRead(packet);
      case Opcode.CLAN_READ_DATA -> core.reads.onData(packet, core);
      case Opcode.CLAN_MESSAGE -> onMessage(packet);
      default -> core.refusals.onRefused(packet);
    }
  }

  /** Returns OK if the packet's key gives this right to the aperture that its header names. */
  private Status checkAccess(ExportedAperture aperture, Packet packet, long count, int right) {
    int rights = aperture == null ? 0 : aperture.rightsOf(packet.compare());
    if (rights == 0) {
      return Status.REVOKED;
    }
    return (rights & right) == 0 ? Status.DENIED
        : aperture.memory.check(NetworkAddress.offset(packet.va()), count, right);
  }

  private void onWrite(Packet packet, Flows.Incoming flow) {
    long address = packet.va();
    int length = packet.payload().length();
    ExportedAperture aperture = core.tables.aperture(NetworkAddress.number(address));
    Status status = checkAccess(aperture, packet, length, Rights.WRITE);
    if (status != Status.OK) {
      core.refusals.refuse(packet.srcLid(), Refusals.WRITE, status, address, packet.compare());
      return;
    }
    Status placed = place(packet, aperture);
    if (placed == Status.BROKEN) {
      onGap(flow, flow.expected());
    } else if (placed != Status.OK) {
      core.refusals.refuse(packet.srcLid(), Refusals.WRITE, placed, address, packet.compare());
    }
  }

  /**
   * Places a burst at its offset in an aperture that it may write. If memory disappears during the copy, the result is BROKEN for the sender's
   * memory, and the burst is lost; for the aperture's memory it is the reason why it cannot be written.
   */
  Status place(Packet packet, ExportedAperture aperture) {
    long offset = NetworkAddress.offset(packet.va());
    int length = packet.payload().length();
    core.stream.begin();
    try {
      aperture.memory.place(packet.payload(), offset, core.counters.copies);
    } catch (TargetLostException gone) {
      core.stream.giveUp();
      return Status.REVOKED;
    } catch (IllegalStateException | PayloadLostException freed) {
      core.stream.giveUp();
      Status now = aperture.memory.check(offset, length, Rights.WRITE);
      return now == Status.OK ? Status.BROKEN : now;
    }
    core.counters.bytesPlaced += length;
    long start = NetworkAddress.of(aperture.number(), offset);
    core.interruptIf(core.stream.end(Bank.LOCAL_WRITE, start, start + length, packet.solicited()));
    return Status.OK;
  }

  private void onRead(Packet packet) {
    Payload payload = packet.payload();
    byte[] request = new byte[Reads.REQUEST_LENGTH];
    if (payload.length() != Reads.REQUEST_LENGTH) {
      core.counters.packetsDropped++;
      return;
    }
    MemorySegment view = MemorySegment.ofArray(request);
    payload.copyTo(view, 0, core.counters.copies);
    int length = view.get(Reads.INT, 0);
    int tag = view.get(Reads.INT, 4);
    ExportedAperture aperture = core.tables.aperture(NetworkAddress.number(packet.va()));
    Status status = length < 1 ? Status.INVALID : checkAccess(aperture, packet, length, Rights.READ);
    if (status == Status.OK && !core.answers.add(packet.srcLid(), aperture, NetworkAddress.offset(packet.va()), length, tag)) {
      status = Status.BUSY;
    }
    if (status != Status.OK) {
      core.refusals.refuse(packet.srcLid(), Refusals.READ, status, packet.va(), tag);
    }
  }

  private void onMessage(Packet packet) {
    byte[] bytes = new byte[Endpoint.MESSAGE_LENGTH];
    if (packet.payload().length() != bytes.length) {
      core.counters.packetsDropped++;
      return;
    }
    packet.payload().copyTo(MemorySegment.ofArray(bytes), 0, core.counters.copies);
    int fromPort = (int) packet.va();
    PortEndpoint to = core.tables.endpoint(packet.destQp());
    core.counters.messagesReceived++;
    if (to == null) {
      core.refusals.refuse(packet.srcLid(), Refusals.MESSAGE, Status.NO_ENDPOINT, packet.destQp(), fromPort);
    } else if (!to.deliver(new Endpoint.Message(packet.srcLid(), fromPort, bytes, Status.OK))) {
      core.refusals.refuse(packet.srcLid(), Refusals.MESSAGE, Status.BUSY, packet.destQp(), fromPort);
    }
  }
}
