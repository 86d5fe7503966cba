package dev.weft.tripwire.device;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.time.FabricContext;
import dev.weft.tripwire.cam.Bank;
import dev.weft.tripwire.driver.CamTripwire;
import dev.weft.tripwire.driver.DeviceView;
import dev.weft.tripwire.driver.DmaRequest;
import dev.weft.tripwire.driver.DmaRing;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.driver.PortEndpoint;
import dev.weft.tripwire.driver.Tables;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.NicSettings;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The decisions of a NIC: what leaves next, and what ends; {@link Arrivals} handles arriving packets. Hardware thread. Stores and messages that wait
 * for a credit are queued, at most {@code outbound-packets} of them; everything else to be sent is state.
 */
final class NicCore extends DeviceView {

  final DmaEngine dma;
  final Tables tables;
  final RegionWatch regions;
  private final NicDevice nic;
  private final FabricContext fabric;
  private final NicPort port;
  private final Input input;
  final Hello hello;
  final Reads reads;
  final Refusals refusals;
  final Multicast multicast;
  final Flows flows = new Flows();
  private final ArrayDeque<Outbound> outbound = new ArrayDeque<>();
  final ReadAnswers answers;
  final Arrivals arrivals;
  private ActorRef<HardwareMessage> self;
  private ActorRef<CamActor.Command> camActor;
  private boolean interruptPending;
  private boolean pumping;
  private boolean closed;
  private boolean readTimerRuns;

  NicCore(NicDevice nic, NicSettings settings, FabricContext fabric, int virtualLanes) {
    super(settings);
    this.nic = nic;
    this.fabric = fabric;
    port = new NicPort(virtualLanes, settings);
    arrivals = new Arrivals(this, nic);
    input = new Input(settings, port, arrivals::deal, atNs -> fabric.timers().at(atNs, self, NicActor.PLACED));
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

  // Incoming packets.

  void onPacket(Packet packet) {
    counters.packetsReceived++;
    if (input.isDirect()) {
      arrivals.deal(packet);
      port.returnCredit(packet.serviceLevel(), port.session());
    } else {
      input.arrived(packet, nowNs());
    }
  }

  void onPlaced() {
    input.onPlaced(nowNs());
  }

  /** Fails the mappings of a host whose data may not have arrived, and informs all users. */
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

  /** Drops stores that wait to be sent to a host or group: they must not become visible without the lost data before them. */
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

  /** Drops everything that waits to be sent to a host, 0 for all hosts. */
  private void forgetWaiting(int lid) {
    forgetOutbound(waiting -> lid == 0 || waiting.lid() == lid);
    refusals.waiting().removeIf(waiting -> lid == 0 || waiting.lid() == lid);
    answers.forget(lid);
  }

  /** All LIDs that data was sent to or received from, or that a mapping which has not failed names; ascending. */
  Set<Integer> peers() {
    Set<Integer> lids = new TreeSet<>();
    flows.addPeers(lids);
    tables.addPeers(lids);
    multicast.addPeers(lids);
    lids.removeIf(Packet::isMulticast);
    return lids;
  }

  /** Ends everything; later packets are only released. */
  void close() {
    closed = true;
    List<DmaRing> queues = tables.dmaQueues();
    multicast.closeAll();
    tables.closeAll();
    reads.failAll(0, Status.INVALID);
    forgetWaiting(0);
    flows.toAll().forEach(flow -> dma.failed(flow, Status.INVALID));
    input.drain();
    dma.takeUp(queues);
    pump(); // Lets the engine end its requests, whose mappings have failed.
  }

  /** Its actor has ended, after {@link #close}: sent bytes are not returned any more. */
  void abandon() {
    dma.abandon();
    pump();
  }

  boolean isClosed() {
    return closed;
  }

  // Outgoing packets.

  @Override
  public boolean hasRoom(int packets) {
    return outbound.isEmpty() || outbound.size() + packets <= settings.outboundPackets();
  }

  @Override
  public void store(MappedAperture target, long offset, MemorySegment bytes, boolean more) {
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

  @Override
  public boolean sendMessage(PortEndpoint from, int lid, int toPort, byte[] bytes) {
    if (!hasRoom(1)) {
      return false;
    }
    outbound.add(new Outbound(Opcode.CLAN_MESSAGE, lid, toPort, from.port(), 0, Payload.of(MemorySegment.ofArray(bytes), 0,
        bytes.length), null, 0, false));
    pump();
    return true;
  }

  @Override
  public void read(MappedAperture from, long offset, MemorySegment into, Consumer<Status> done) {
    if (!hasRoom(1)) {
      throw new NicException(Status.BUSY, "the NIC of " + nic.name() + " has " + outbound.size() + " packets waiting already");
    }
    long deadlineNs = nowNs() + settings.readTimeoutNs();
    Reads.Read read = reads.begin(from, offset, into, done, deadlineNs);
    outbound.add(new Outbound(Opcode.CLAN_READ, from.lid, 0, NetworkAddress.of(from.aperture, offset), from.key,
        Reads.request(read), null, 0, false));
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

  /** Sends a burst of a write; the caller has checked that it may. With {@code asks}, the other NIC answers how much it has taken. */
  void transmitWrite(MappedAperture target, long offset, Payload payload, boolean more, boolean asks) {
    Flows.Outgoing flow = opened(target.lid);
    Packet packet = Packet.burst(Opcode.CLAN_WRITE, port.lid(), target.lid, settings.serviceLevel(), 0,
        NetworkAddress.of(target.aperture, offset), target.key, flow.position, more, payload);
    flow.advance(payload.length());
    if (asks) {
      flow.asking = true;
    }
    send(asks ? packet.askingForAnswer() : packet);
  }

  /** Bytes of a write have left this host. If the aperture was unmapped, its number may belong to another mapping by now. */
  void written(MappedAperture target, long offset, int length, boolean more) {
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

  /** The flow to that LID; opens or watches it, because data is sent on it now. */
  private Flows.Outgoing opened(int lid) {
    Flows.Outgoing flow = flows.to(lid);
    if (!flow.open) {
      open(flow);
    } else if (!flow.watched && !Packet.isMulticast(lid)) {
      hello.watch(flow);
    }
    return flow;
  }

  /** Begins a flow, and asks the other NIC to answer. The caller has checked that it may send. */
  void open(Flows.Outgoing flow) {
    boolean isGroup = Packet.isMulticast(flow.lid);
    flow.start(fabric.random().nextInt());
    sayOpen(flow, !isGroup);
    if (!isGroup) {
      hello.onOpened(flow);
    }
  }

  /** Sends the start and position of a flow; takes no position. */
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
   * Sends as much as credits allow: repeated starts of flows, refusals, stores and messages, then answers and DMA in turn. Reports about flows
   * precede stores, which a program can always have more of.
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
      pumping = false; // Also for bytes that are returned after an error.
    }
    nic.stores().drain();
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

  /** Called in the middle of a step, where pumping would be too early. */
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
      open(flows.to(next.lid())); // Not together with the packet: two credits may never be available at once while others take each one that arrives.
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

  @Override
  public void interruptIf(boolean fired) {
    if (fired && !interruptPending) {
      interruptPending = true;
      counters.interrupts++;
      camActor.tell(CamActor.INTERRUPT);
    }
  }

  /** The interrupt's handler runs; later firings raise an interrupt again. */
  void interruptTaken() {
    interruptPending = false;
  }

  @Override
  public void setActions(int id, int actions) {
    stream.drain();
    cam.setActions(id, actions);
  }

  @Override
  public void free(CamTripwire tripwire) {
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

  @Override
  public MappedAperture mapping(int number) {
    return tables.mapping(number);
  }

  @Override
  public void unmap(MappedAperture mapping) {
    tables.unmap(mapping);
  }

  @Override
  public void revoke(ExportedAperture aperture) {
    tables.revoke(aperture);
    multicast.leave(aperture);
  }

  @Override
  public void closeEndpoint(PortEndpoint endpoint) {
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
