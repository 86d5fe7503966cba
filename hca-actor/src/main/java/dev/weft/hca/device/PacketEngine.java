package dev.weft.hca.device;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.completion.CompletionCounters;
import dev.weft.hca.completion.Cq;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.memory.MemoryAccess;
import dev.weft.hca.memory.MemoryWindows;
import dev.weft.hca.memory.Mr;
import dev.weft.hca.memory.MrTable;
import dev.weft.hca.memory.Pd;
import dev.weft.hca.memory.UnpinnedMemory;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPages;
import dev.weft.hca.transport.HcaCounters;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.QpStates;
import dev.weft.hca.transport.QpTimers;
import dev.weft.hca.transport.QueueDevice;
import dev.weft.hca.transport.SrqTable;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.AsyncEvent;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpState;
import dev.weft.hca.verbs.QpType;
import dev.weft.hca.verbs.VerbsException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * The decision logic of an HCA: which queue pair sends next, which queue pair gets a packet, when a timer is due. All data to send is state of a queue
 * pair, not a queued packet, so no queue can overflow. A queue pair without a link credit waits in the list of the {@link LinkScheduler}. Used on the
 * hardware thread only.
 */
final class PacketEngine extends QueueDevice {
  /** The protection domains by handle, in the order of their allocation. */
  final Map<Integer, Pd> domains = new LinkedHashMap<>();
  final SrqTable sharedReceiveQueues;
  final CompletionCounters completionCounters;
  private final DeviceVerbs hca;
  private final FabricContext context;
  private final AsyncEventQueue events;
  private final HcaQueues queues;
  private final HcaPort port;
  private final LinkScheduler scheduler;
  private final QpTimers timers;
  private ActorRef<HardwareMessage> self;
  private final MulticastAttachments multicast;
  private int portMtuBytes;
  private IntUnaryOperator pathMtuByLid = lid -> Integer.MAX_VALUE;

  PacketEngine(DeviceVerbs hca, HcaSettings settings, HardwareCalls calls, FabricContext context, int virtualLanes, AsyncEventQueue events) {
    super(settings, calls, new MrTable(context.random(), settings.memoryRegionsMax()));
    this.hca = hca;
    this.context = context;
    this.events = events;
    queues = new HcaQueues(hca, this, settings, context.clock());
    sharedReceiveQueues = new SrqTable(hca, this);
    completionCounters = new CompletionCounters(settings.completionCountersMax());
    port = new HcaPort(virtualLanes, settings.receiveBufferPackets());
    scheduler = new LinkScheduler(context.clock(), settings.burstPackets(), port, counters);
    timers = new QpTimers(context);
    multicast = new MulticastAttachments(settings.multicastAttachmentsMax());
    portMtuBytes = settings.pathMtuMaxBytes();
  }

  HcaQueues queues() {
    return queues;
  }

  HardwareCalls calls() {
    return calls;
  }

  /** Requests the actor of a new completion queue, as a child of the device's actor, if the queue needs one. */
  void spawnActorOf(Cq cq) {
    if (cq.hasActor()) {
      self.tell(new HcaActor.SpawnCq(cq));
    }
  }

  /** Removes the timer of a queue pair that is being destroyed. */
  void forget(Qp qp) {
    timers.remove(qp);
  }

  MrTable memory() {
    return memory;
  }

  UnpinnedMemory unpinned() {
    return unpinned;
  }

  MemoryWindows windows() {
    return windows;
  }

  MemoryAccess access() {
    return access;
  }

  QpStates states() {
    return states;
  }

  HcaCounters counters() {
    return counters;
  }

  void start(ActorRef<HardwareMessage> actor) {
    self = actor;
    timers.start(actor);
  }

  @Override
  protected int lid() {
    return port.lid();
  }

  @Override
  protected int portMtuBytes() {
    return portMtuBytes;
  }

  void setPortMtuBytes(int bytes) {
    portMtuBytes = bytes;
  }

  void setPathMtu(IntUnaryOperator byLid) {
    pathMtuByLid = byLid;
  }

  @Override
  protected int datagramMaxBytes(int destLid) {
    return Math.min(portMtuBytes, pathMtuByLid.applyAsInt(destLid));
  }

  // The link.

  void attach(Cable cable) {
    port.attach(cable);
  }

  void onLinkState(CableMessage.LinkState state) {
    if (port.lid() != 0 && state.lid() != 0 && state.lid() != port.lid()) {
      event(AsyncEvent.Type.LID_CHANGE, state.lid());
    }
    if (state.lid() != 0) {
      port.setLid(state.lid());
      hca.lidAssigned(state.lid());
    }
    if (port.isUp() != state.up()) {
      event(state.up() ? AsyncEvent.Type.PORT_ACTIVE : AsyncEvent.Type.PORT_ERR, port.lid());
      port.setUp(state.up());
      scheduler.activateStalled(); // If the link is down, they stall again and time out.
    }
  }

  void onCredits(CableMessage.Credits granted) {
    port.onCredits(granted);
    scheduler.activateStalled();
  }

  @Override
  protected void send(Packet packet) {
    counters.sent(packet.payload().length());
    port.transmit(packet);
  }

  @Override
  protected boolean mayTransmit(int serviceLevel) {
    return !port.isUp() || port.maySend(port.laneOf(serviceLevel));
  }

  @Override
  protected void sendOrLose(Packet packet) {
    if (port.isUp()) {
      send(packet);
    } else {
      counters.dropped();
    }
  }

  void onPacket(Packet packet) {
    counters.received(packet.payload().length());
    try {
      if (packet.isMulticast()) {
        deliverToGroup(packet);
      } else if (!accepts(queues.find(packet.destQp()), packet)) {
        counters.dropped();
      }
    } catch (PayloadLostException lost) {
      counters.dropped(); // The protocol treats it as a packet lost in flight: no part of it has been accepted yet.
    }
    packet.release();
    port.returnCredit(port.laneOf(packet.serviceLevel()));
  }

  private void deliverToGroup(Packet packet) {
    boolean accepted = false;
    if (packet.destQp() == Packet.MULTICAST_QP) {
      for (Qp qp : multicast.of(packet.dstLid())) {
        accepted |= accepts(qp, packet);
      }
    }
    if (!accepted) {
      counters.dropped();
    }
  }

  private boolean accepts(Qp qp, Packet packet) {
    return qp != null && Opcode.isKnown(packet.opcode()) && Opcode.service(packet.opcode()) == qp.type().service()
        && (qp.type() == QpType.UD || qp.destLid() == packet.srcLid()) && deliver(qp, packet);
  }

  private boolean deliver(Qp qp, Packet packet) {
    unpinned.begin(qp.unpinned());
    QpState state = qp.state();
    if (Opcode.isRequest(packet.opcode())) {
      if (state != QpState.RTR && state != QpState.RTS && state != QpState.SQD && state != QpState.SQE) {
        return false;
      }
      qp.responder().onRequest(packet);
      return true;
    }
    if (state != QpState.RTS && state != QpState.SQD) {
      return false;
    }
    qp.requester().onResponse(packet, context.clock().nowNs());
    return true;
  }

  @Override
  protected long nowNs() {
    return context.clock().nowNs();
  }

  @Override
  protected void activate(Qp qp) {
    scheduler.activate(qp);
  }

  @Override
  protected void activateLater(Qp qp) {
    scheduler.activateLater(qp);
  }

  void flushLater() {
    scheduler.flushLater();
  }

  @Override
  protected void pump() {
    if (scheduler.pump()) {
      self.tell(HcaActor.FLUSH_ACKS);
    }
  }

  void onDoorbell(Qp qp) {
    if (qp.state() == QpState.ERR || qp.state() == QpState.SQE) {
      QpStates.flushRequester(qp);
    } else if (qp.state() == QpState.RESET) {
      qp.requester().reset();
      qp.sleepUnlessPosted();
    } else {
      activate(qp);
    }
  }

  void onReceivePosted(Qp qp) {
    if (qp.state() == QpState.ERR) {
      qp.responder().flush(true);
    } else {
      qp.responder().onReceivePosted();
    }
  }

  // Timers.

  @Override
  protected void timerChanged(Qp qp) {
    timers.changed(qp);
  }

  void onTimer(long deadlineNs) {
    timers.onTimer(deadlineNs);
  }

  @Override
  protected void overrun(Cq cq) {
    if (cq.isOverrun()) {
      return;
    }
    cq.markOverrun();
    event(AsyncEvent.Type.CQ_ERR, cq.number());
    for (Qp qp : queues.queuePairs()) {
      if ((qp.sendCq() == cq || qp.receiveCq() == cq) && qp.state() != QpState.RESET) {
        states.toError(qp, AsyncEvent.Type.QP_FATAL); // Its completion queue has overrun.
      }
    }
  }

  /** Returns the queue pairs that go to ERR when the HCA is closed. */
  List<Qp> queuePairsToFlush() {
    return queues.queuePairs().stream().filter(qp -> qp.state() != QpState.RESET).toList();
  }

  /** Invalidates all registered memory; when this returns, no process touches it any more. */
  void invalidateMemory() {
    for (Mr mr : memory.all()) {
      mr.invalidate();
      mr.loan().awaitReaders();
    }
    for (Mr binding : memory.bindings()) {
      binding.invalidate();
      binding.loan().awaitReaders();
    }
  }

  @Override
  protected void event(AsyncEvent.Type type, int number) {
    events.add(new AsyncEvent(type, number));
  }

  @Override
  protected void flushAfterEnd(Qp qp) {
    synchronized (calls.afterlife()) {
      onDoorbell(qp);
      onReceivePosted(qp);
    }
  }

  // Control verbs, on the hardware thread.

  void attachMulticast(Qp qp, int groupLid) {
    if (qp.isDestroyed() || !queues.contains(qp) || qp.type() != QpType.UD || !Packet.isMulticast(groupLid)) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "only datagram queue pairs of this HCA can be attached, and to LIDs from "
          + Packet.MULTICAST_LID_MIN + " to " + Packet.MULTICAST_LID_MAX + "; got " + qp + " and LID " + groupLid);
    }
    multicast.attach(qp, groupLid);
  }

  void detachMulticast(Qp qp, int groupLid) {
    multicast.detach(qp, groupLid);
  }

  /** Attaches a host's virtual memory. */
  void attach(HostVm vm) {
    if (unpinned.pages() != null) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "this HCA serves the virtual memory of a host already; it can serve only one");
    }
    NicPages pages = new NicPages(vm, portMtuBytes, access.copies(), unpinned::woken);
    unpinned.attach(pages);
    self.tell(new HcaActor.SpawnShadowPt(pages));
  }

  /** Counts an unpinned region of a domain and gives the queue pairs of the domain credit, which they need from now on. */
  void enroll(Pd pd) {
    pd.useUnpinned(1);
    try {
      for (Qp qp : queues.queuePairs()) {
        if (qp.pd() == pd || qp.receivePd() == pd) {
          unpinned.enroll(qp.unpinned(), qp.pd(), qp.receivePd());
        }
      }
    } catch (VerbsException refused) {
      pd.useUnpinned(-1);
      throw refused;
    }
  }

  HcaSnapshot snapshot(String node) {
    long nowNs = nowNs();
    return new HcaSnapshot(node, port.lid(), port.isUp(), port.credits(), counters.snapshot(access),
        queues.queuePairs().stream().map(qp -> qp.snapshot(nowNs)).toList(),
        queues.completionQueues().stream().map(Cq::snapshot).toList(),
        memory.all().stream().map(mr -> new HcaSnapshot.Mr(mr.addr(), mr.length(), Access.describe(mr.access()), mr.isPinned(),
            mr.isValid())).toList(),
        sharedReceiveQueues.snapshot(), windows.snapshot(), completionCounters.snapshot(), multicast.snapshot(),
        domains.values().stream().map(Pd::snapshot).toList());
  }
}
