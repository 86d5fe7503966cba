package dev.weft.tripwire;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.Bursts;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.packet.TargetLostException;
import dev.weft.fabric.time.FabricContext;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.cam.Cam;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What a NIC decides: where an arriving burst goes and whether it may, what leaves next, what is refused. Hardware thread. Stores and
 * messages that wait for a credit are queued, {@code outbound-packets} of them; everything else that is to be sent is state.
 */
final class NicCore {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final int READ_REQUEST_LENGTH = 8;

  final NicSettings settings;
  final NicCounters counters = new NicCounters();
  final Cam cam;
  final RequestRing requests;
  final PassingStream stream;
  final DmaEngine dma;
  final Tables tables;
  final RegionWatch regions;
  private final Nic nic;
  private final FabricContext fabric;
  private final NicPort port;
  private final Input input;
  final Hello hello;
  final Reads reads;
  final Refusals refusals;
  private final Multicast multicast;
  final Flows flows = new Flows();
  private final ArrayDeque<Outbound> outbound = new ArrayDeque<>();
  private final ReadAnswers answers;
  private ActorRef<HardwareMessage> self;
  private ActorRef<CamActor.Command> camActor;
  private boolean interruptPending;
  private boolean pumping;
  private boolean closed;
  private boolean readTimerRuns;

  NicCore(Nic nic, NicSettings settings, FabricContext fabric, int virtualLanes) {
    this.nic = nic;
    this.settings = settings;
    this.fabric = fabric;
    cam = new Cam(settings.tripwiresMax(), settings.fifoEntries());
    requests = new RequestRing(settings.requestRingBytes(), cam);
    stream = new PassingStream(cam, requests);
    port = new NicPort(virtualLanes, settings);
    input = new Input(settings, port, this::deal, atNs -> fabric.timers().at(atNs, self, NicActor.PLACED));
    reads = new Reads(settings.readsMax());
    answers = new ReadAnswers(this, settings.readsMax());
    hello = new Hello(this, flows, settings.confirmTimeout().toNanos());
    refusals = new Refusals(this, settings.outboundPackets());
    multicast = new Multicast(this, nic);
    dma = new DmaEngine(nic, this, settings);
    regions = new RegionWatch(this, nic.node().hca());
    tables = new Tables(nic, settings, fabric.random());
  }

  void start(ActorRef<HardwareMessage> nicActor, ActorRef<CamActor.Command> newCamActor) {
    self = nicActor;
    camActor = newCamActor;
  }

  NicPort port() {
    return port;
  }

  Multicast multicast() {
    return multicast;
  }

  // What comes in.

  void onPacket(Packet packet) {
    counters.packetsReceived++;
    if (input.isDirect()) {
      deal(packet);
      port.returnCredit(packet.serviceLevel(), port.session());
    } else {
      input.arrived(packet, nowNs());
    }
  }

  void onPlaced() {
    input.onPlaced(nowNs());
  }

  private void deal(Packet packet) {
    int opcode = packet.opcode();
    if (!Opcode.hasBurst(opcode) || closed) {
      counters.packetsDropped++;
    } else if (packet.isMulticast()) {
      multicast.onPacket(packet);
    } else if (opcode == Opcode.CLAN_OPEN) {
      Flows.Verdict verdict = hello.onOpen(packet);
      if (verdict == Flows.Verdict.GAP || verdict == Flows.Verdict.NOT_OPEN) {
        onGap(flows.from(packet.srcLid()), (int) packet.va());
      }
    } else if (Refusals.isOutOfFlow(packet.opcode(), packet.destQp())) {
      refusals.onRefused(packet);
    } else {
      follow(packet, flows.from(packet.srcLid()));
    }
    packet.release();
  }

  private void follow(Packet packet, Flows.Incoming flow) {
    switch (flow.next(packet.immediate(), Bursts.positions(packet))) {
      case TAKE -> take(packet, flow);
      case DUPLICATE -> counters.duplicates++;
      case GAP, NOT_OPEN -> onGap(flow, packet.immediate());
    }
    if (packet.ackReq()) {
      hello.answer(flow);
    }
  }

  /** {@code came} is the position that came in the place of what is next, or that, if it cannot be taken. */
  void onGap(Flows.Incoming flow, int came) {
    counters.gaps++;
    boolean isNews = !flow.isTold();
    if (flow.fail(came, nowNs())) {
      refusals.tell(flow.lid, Refusals.WRITE, Status.BROKEN, flow.breach(), 0, flow.openedAt, flow.isKnown());
    }
    if (isNews) {
      nic.peerBroken(flow.lid);
    }
  }

  private void take(Packet packet, Flows.Incoming flow) {
    switch (packet.opcode()) {
      case Opcode.CLAN_WRITE -> onWrite(packet, flow);
      case Opcode.CLAN_READ -> onRead(packet);
      case Opcode.CLAN_READ_DATA -> reads.onData(packet, this);
      case Opcode.CLAN_MESSAGE -> onMessage(packet);
      default -> refusals.onRefused(packet);
    }
  }

  /** The aperture that a header names, if its key gives the right. */
  private Status checkAccess(LocalAperture aperture, Packet packet, long count, int right) {
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
    LocalAperture aperture = tables.aperture(NetworkAddress.number(address));
    Status status = checkAccess(aperture, packet, length, Rights.WRITE);
    if (status != Status.OK) {
      refusals.refuse(packet.srcLid(), Refusals.WRITE, status, address, packet.compare());
      return;
    }
    Status placed = place(packet, aperture);
    if (placed == Status.BROKEN) {
      onGap(flow, flow.expected());
    } else if (placed != Status.OK) {
      refusals.refuse(packet.srcLid(), Refusals.WRITE, placed, address, packet.compare());
    }
  }

  /**
   * Places a burst in an aperture that it may write, at its offset. If memory went away while it was being copied: BROKEN for the sender's,
   * which loses the burst; for the aperture's, why it cannot be written.
   */
  Status place(Packet packet, LocalAperture aperture) {
    long offset = NetworkAddress.offset(packet.va());
    int length = packet.payload().length();
    stream.begin();
    try {
      aperture.memory.place(packet.payload(), offset, counters.copies);
    } catch (TargetLostException gone) {
      stream.giveUp();
      return Status.REVOKED;
    } catch (IllegalStateException | PayloadLostException freed) {
      stream.giveUp();
      Status now = aperture.memory.check(offset, length, Rights.WRITE);
      return now == Status.OK ? Status.BROKEN : now;
    }
    counters.bytesPlaced += length;
    long start = NetworkAddress.of(aperture.number(), offset);
    interruptIf(stream.end(Bank.LOCAL_WRITE, start, start + length, packet.solicited()));
    return Status.OK;
  }

  private void onRead(Packet packet) {
    Payload payload = packet.payload();
    byte[] request = new byte[READ_REQUEST_LENGTH];
    if (payload.length() != READ_REQUEST_LENGTH) {
      counters.packetsDropped++;
      return;
    }
    MemorySegment view = MemorySegment.ofArray(request);
    payload.copyTo(view, 0, counters.copies);
    int length = view.get(INT, 0);
    int tag = view.get(INT, 4);
    LocalAperture aperture = tables.aperture(NetworkAddress.number(packet.va()));
    Status status = length < 1 ? Status.INVALID : checkAccess(aperture, packet, length, Rights.READ);
    if (status == Status.OK && !answers.add(packet.srcLid(), aperture, NetworkAddress.offset(packet.va()), length, tag)) {
      status = Status.BUSY;
    }
    if (status != Status.OK) {
      refusals.refuse(packet.srcLid(), Refusals.READ, status, packet.va(), tag);
    }
  }

  private void onMessage(Packet packet) {
    byte[] bytes = new byte[Endpoint.MESSAGE_LENGTH];
    if (packet.payload().length() != bytes.length) {
      counters.packetsDropped++;
      return;
    }
    packet.payload().copyTo(MemorySegment.ofArray(bytes), 0, counters.copies);
    int fromPort = (int) packet.va();
    Endpoint to = tables.endpoint(packet.destQp());
    counters.messagesReceived++;
    if (to == null) {
      refusals.refuse(packet.srcLid(), Refusals.MESSAGE, Status.NO_ENDPOINT, packet.destQp(), fromPort);
    } else if (!to.deliver(new Endpoint.Message(packet.srcLid(), fromPort, bytes, Status.OK))) {
      refusals.refuse(packet.srcLid(), Refusals.MESSAGE, Status.BUSY, packet.destQp(), fromPort);
    }
  }

  /** What was written to a host, and may not have arrived, is told to all who write there. */
  void breakPeer(int lid, Status status, String cause) {
    Flows.Outgoing flow = flows.to(lid);
    flow.open = false;
    flow.answered = false;
    tables.failMappings(lid, 0, 0, status, cause);
    dma.failed(flow, status);
    forgetStores(lid);
    reads.failAll(lid, status);
    nic.peerBroken(lid);
  }

  /** The other host has left the fabric. */
  void peerLost(int lid) {
    breakPeer(lid, Status.PEER_LOST, "the host with LID " + lid
        + " has left the fabric: its NIC was closed, or its JVM ended or was silent for so long that it was removed");
    forgetWaiting(lid);
    flows.forget(lid);
    multicast.forget(lid);
  }

  /** Stores that wait to be sent to a host or group: they must not be seen there without what was lost before. */
  void forgetStores(int lid) {
    forgetOutbound(waiting -> waiting.mapping() != null && waiting.lid() == lid);
  }

  private void forgetOutbound(Predicate<Outbound> which) {
    outbound.removeIf(waiting -> {
      if (which.test(waiting)) {
        waiting.payload().release();
        return true;
      }
      return false;
    });
  }

  /** What waits to be sent to a host, 0 for all. */
  private void forgetWaiting(int lid) {
    forgetOutbound(waiting -> lid == 0 || waiting.lid() == lid);
    refusals.waiting().removeIf(waiting -> lid == 0 || waiting.lid() == lid);
    answers.forget(lid);
  }

  /** All that something was sent to, or heard of, or is mapped of by a mapping that has not failed; ascending. */
  Set<Integer> peers() {
    Set<Integer> lids = new TreeSet<>();
    flows.addPeers(lids);
    tables.addPeers(lids);
    multicast.addPeers(lids);
    lids.removeIf(Packet::isMulticast);
    return lids;
  }

  /** Ends everything; from now on what comes is only released. */
  void close() {
    closed = true;
    List<DmaQueue> queues = tables.dmaQueues();
    multicast.closeAll();
    tables.closeAll();
    reads.failAll(0, Status.INVALID);
    forgetWaiting(0);
    flows.toAll().forEach(flow -> dma.failed(flow, Status.INVALID));
    input.drain();
    dma.takeUp(queues);
    pump(); // The engine gives back its requests, whose mappings have failed.
  }

  /** Its actor has ended, after {@link #close}: nothing that it has sent is given back any more. */
  void abandon() {
    dma.abandon();
    pump();
  }

  boolean isClosed() {
    return closed;
  }

  // What goes out.

  /** Whether that many packets of stores or messages find room; also if there are more than ever fit, and none waits. */
  boolean hasRoom(int packets) {
    return outbound.isEmpty() || outbound.size() + packets <= settings.outboundPackets();
  }

  /** A store of bytes that nobody else will change; the caller has seen that there is room. */
  void store(RemoteAperture target, long offset, MemorySegment bytes, boolean more) {
    int length = (int) bytes.byteSize();
    int burst = burstMaxTo(target.lid);
    if (length > burst) {
      for (int done = 0; done < length; done += burst) {
        int count = Math.min(burst, length - done);
        store(target, offset + done, bytes.asSlice(done, count), more || done + count < length);
      }
      return;
    }
    Payload payload = Payload.of(bytes, 0, length);
    if (outbound.isEmpty() && maySendTo(target.lid)) {
      transmitWrite(target, offset, payload, more, false);
      written(target, offset, length, more);
    } else {
      outbound.add(new Outbound(Opcode.CLAN_WRITE, target.lid, 0, NetworkAddress.of(target.aperture, offset), target.key, payload,
          target, offset, more));
    }
  }

  /** Longest burst that reaches a host. */
  int burstMaxTo(int lid) {
    return Math.min(settings.burstMaxBytes(), nic.host().directory().pathMtuToLid(lid) & ~3);
  }

  boolean sendMessage(Endpoint from, int lid, int toPort, byte[] bytes) {
    if (!hasRoom(1)) {
      return false;
    }
    outbound.add(new Outbound(Opcode.CLAN_MESSAGE, lid, toPort, from.port(), 0, Payload.of(MemorySegment.ofArray(bytes), 0,
        bytes.length), null, 0, false));
    pump();
    return true;
  }

  void read(RemoteAperture from, long offset, MemorySegment into, Consumer<Status> done) {
    if (!hasRoom(1)) {
      throw new NicException(Status.BUSY, "the NIC of " + nic.name() + " has " + outbound.size() + " packets waiting already");
    }
    long deadlineNs = nowNs() + settings.readTimeoutNs();
    Reads.Read read = reads.begin(from, offset, into, done, deadlineNs);
    byte[] request = new byte[READ_REQUEST_LENGTH];
    MemorySegment view = MemorySegment.ofArray(request);
    view.set(INT, 0, (int) into.byteSize());
    view.set(INT, 4, read.tag);
    outbound.add(new Outbound(Opcode.CLAN_READ, from.lid, 0, NetworkAddress.of(from.aperture, offset), from.key,
        Payload.of(view, 0, READ_REQUEST_LENGTH), null, 0, false));
    if (!readTimerRuns) {
      readTimerRuns = true;
      fabric.timers().at(deadlineNs, self, NicActor.READ_TIMER);
    }
    pump();
  }

  void onReadTimer() {
    long nextNs = reads.expire(nowNs());
    readTimerRuns = nextNs != Long.MAX_VALUE;
    if (readTimerRuns) {
      fabric.timers().at(nextNs, self, NicActor.READ_TIMER);
    }
  }

  boolean maySendTo(int lid) {
    return port.maySend(flows.to(lid).open ? 1 : 2);
  }

  /** Sends a burst of a write; the caller has made sure that it may. {@code asks}: the other NIC is to say how much it has taken. */
  void transmitWrite(RemoteAperture target, long offset, Payload payload, boolean more, boolean asks) {
    Flows.Outgoing flow = opened(target.lid);
    Packet packet = Packet.burst(Opcode.CLAN_WRITE, port.lid(), target.lid, settings.serviceLevel(), 0,
        NetworkAddress.of(target.aperture, offset), target.key, flow.position, more, payload);
    flow.advance(payload.length());
    if (asks) {
      flow.asking = true;
    }
    send(asks ? packet.askingForAnswer() : packet);
  }

  /** Bytes of a write have left this host. If it was unmapped, its number may be another's by now. */
  void written(RemoteAperture target, long offset, int length, boolean more) {
    if ((cam.watches(Bank.REMOTE_WRITE) || requests.hasRequests()) && tables.mapping(target.number()) == target) {
      stream.begin();
      long address = NetworkAddress.of(target.number(), offset);
      interruptIf(stream.end(Bank.REMOTE_WRITE, address, address + length, more));
    }
  }

  void transmit(int opcode, int lid, int toPort, long address, long key, Payload payload, boolean more, int positions) {
    Flows.Outgoing flow = opened(lid);
    Packet packet = Packet.burst(opcode, port.lid(), lid, settings.serviceLevel(), toPort, address, key, flow.position, more, payload);
    flow.advance(positions);
    send(packet);
  }

  /** The flow to that LID, on which something is sent now. */
  private Flows.Outgoing opened(int lid) {
    Flows.Outgoing flow = flows.to(lid);
    if (!flow.open) {
      open(flow);
    } else if (!flow.watched && !Packet.isMulticast(lid)) {
      hello.watch(flow);
    }
    return flow;
  }

  /** Begins a flow; the other NIC is asked to answer. The caller has made sure that it may send. */
  void open(Flows.Outgoing flow) {
    boolean isGroup = Packet.isMulticast(flow.lid);
    flow.start(fabric.random().nextInt());
    sayOpen(flow, !isGroup);
    if (!isGroup) {
      hello.onOpened(flow);
    }
  }

  /** Says where a flow started and where it is; takes no position. */
  void sayOpen(Flows.Outgoing flow, boolean ask) {
    send(Packet.burst(Opcode.CLAN_OPEN, port.lid(), flow.lid, settings.serviceLevel(), 0, flow.position & 0xffff_ffffL, 0, flow.openedAt, ask, Payload.EMPTY));
  }

  long nowNs() {
    return fabric.clock().nowNs();
  }

  void helloAt(long atNs) {
    fabric.timers().at(atNs, self, NicActor.HELLO_TIMER);
  }

  private void send(Packet packet) {
    counters.packetsSent++;
    counters.bytesSent += packet.payload().length();
    port.transmit(packet);
  }

  /**
   * Sends what there is, as far as credits go: beginnings of flows that are to be said again, refusals, stores and messages, answers and DMA
   * in turn. What is said of flows comes before stores, of which a program may always have more.
   */
  void pump() {
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      while (sendSome()) {
        continue;
      }
    } finally {
      pumping = false; // Also for what is given back after a defect.
    }
    nic.drainStores();
  }

  private boolean sendSome() {
    boolean sent = hello.sayDue();
    sent |= sendFirst(refusals.waiting());
    sent |= sendFirst(outbound);
    sent |= answers.send();
    DmaRequest next = dma.next();
    if (next != null && (next.target.status() != Status.OK || maySendTo(next.target.lid))) {
      dma.sendBurst();
      sent = true;
    }
    return sent;
  }

  /** Called where pumping would be too early: in the middle of something. */
  void pumpSoon() {
    if (!pumping) {
      self.tell(NicActor.PUMP);
    }
  }

  /** Pumps again later. */
  void pumpAt(long atNs) {
    fabric.timers().at(atNs, self, NicActor.PUMP);
  }

  private boolean sendFirst(ArrayDeque<Outbound> queue) {
    Outbound next = queue.peek();
    if (next == null || !port.maySend(1)) {
      return false;
    }
    boolean isOutOfFlow = Refusals.isOutOfFlow(next.opcode(), next.port());
    if (!isOutOfFlow && !flows.to(next.lid()).open) {
      open(flows.to(next.lid())); // Not with the packet: two credits may never be there at once while others take each that comes.
      return true;
    }
    queue.poll();
    if (isOutOfFlow) {
      send(Packet.burst(next.opcode(), port.lid(), next.lid(), settings.serviceLevel(), next.port(), next.address(), next.key(),
          (int) next.offset(), next.more(), next.payload()));
    } else if (next.mapping() != null) {
      transmitWrite(next.mapping(), next.offset(), next.payload(), next.more(), false);
      written(next.mapping(), next.offset(), next.payload().length(), next.more());
    } else {
      transmit(next.opcode(), next.lid(), next.port(), next.address(), next.key(), next.payload(), false, 1);
    }
    return true;
  }

  // Tripwires.

  void interruptIf(boolean fired) {
    if (fired && !interruptPending) {
      interruptPending = true;
      counters.interrupts++;
      camActor.tell(CamActor.INTERRUPT);
    }
  }

  /** The interrupt's handler runs; what fires from now on interrupts again. */
  void interruptTaken() {
    interruptPending = false;
  }

  void setActions(int id, int actions) {
    stream.drain();
    cam.setActions(id, actions);
  }

  void free(Tripwire tripwire) {
    if (tripwire.closed) {
      return;
    }
    stream.drain();
    tripwire.closed = true;
    if (tripwire.watchesRegions) {
      regions.leave();
    }
    tripwire.queue = null;
    cam.free(tripwire.id());
    nic.forget(tripwire);
  }

  // The link.

  void onLinkState(CableMessage.LinkState state) {
    port.onLinkState(state);
    input.onLink();
    nic.lidAssigned(port.lid());
  }

  void onCredits(CableMessage.Credits credits) {
    port.onCredits(credits);
  }

  void revoke(LocalAperture aperture) {
    tables.revoke(aperture);
    multicast.leave(aperture);
  }

  void closeEndpoint(Endpoint endpoint) {
    tables.closeEndpoint(endpoint);
  }

  NicSnapshot snapshot(String name, List<NicSnapshot.Queue> queues) {
    stream.drain();
    return new NicSnapshot(name, port.lid(), port.isUp(), port.credits(), cam.allocatedCount(), cam.capacity(), cam.armedCount(),
        cam.firings(), cam.fifo().size(), cam.fifo().overflows(), port.xoffs(), port.xoffsSaid(), input.waiting(),
        tables.apertures(), tables.mappings(), tables.endpoints(),
        queues, reads.outstanding(), counters.snapshot());
  }
}
