package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.MissingPages;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.FabricContext;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NicPages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * What an HCA decides: which queue pair sends next, where an arriving packet goes, when a timer is due. Confined to the hardware
 * thread. Everything that it has to send is state of a queue pair, not a queued packet, so that nothing here can overflow: a queue
 * pair without a link credit waits in the list of its virtual lane.
 */
final class HcaCore {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  final HcaSettings settings;
  final HcaCounters counters = new HcaCounters();
  /** Protection domains by handle, in the order in which they were allocated. */
  final Map<Integer, ProtectionDomain> domains = new LinkedHashMap<>();
  private final CopyCounter headerCopies = new CopyCounter();
  final MrTable memory;
  final MemoryWindows windows;
  final UnpinnedMemory unpinned = new UnpinnedMemory(this);
  final SrqTable sharedReceiveQueues;
  final CompletionCounters completionCounters;
  private final MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
  private final Hca hca;
  private final FabricContext context;
  private final AsyncEventQueue events;
  private final Int2ObjectHashMap<QueuePair> queuePairs = new Int2ObjectHashMap<>();
  private final List<CompletionQueue> completionQueues = new ArrayList<>();
  private final ArrayDeque<QueuePair> active = new ArrayDeque<>();
  private final ArrayDeque<QueuePair> later = new ArrayDeque<>();
  private final ArrayDeque<QueuePair> stalled = new ArrayDeque<>();
  private final HcaPort port;
  private final QpTimers timers;
  private ActorRef<HardwareMessage> self;
  private int nextQpNum = 0x11;
  private int nextCqNum = 1;
  private boolean pumping;
  private boolean flushScheduled;
  private QueuePair lastQp;
  private final MulticastAttachments multicast;
  private int portMtuBytes;
  /** Null while nobody watches, which costs a branch per packet. */
  private AccessObserver observer;
  private IntUnaryOperator pathMtuByLid = lid -> Integer.MAX_VALUE;

  HcaCore(Hca hca, HcaSettings settings, FabricContext context, int virtualLanes, AsyncEventQueue events) {
    this.hca = hca;
    this.settings = settings;
    this.context = context;
    this.events = events;
    memory = new MrTable(context.random(), settings.memoryRegionsMax());
    windows = new MemoryWindows(memory);
    sharedReceiveQueues = new SrqTable(hca, this);
    completionCounters = new CompletionCounters(hca, settings.completionCountersMax());
    port = new HcaPort(virtualLanes, settings.receiveBufferPackets());
    timers = new QpTimers(context);
    multicast = new MulticastAttachments(settings.multicastAttachmentsMax());
    portMtuBytes = settings.pathMtuMaxBytes();
  }

  void setObserver(AccessObserver newObserver) {
    observer = newObserver;
  }

  void start(ActorRef<HardwareMessage> actor) {
    self = actor;
    timers.start(actor);
  }

  int lid() {
    return port.lid();
  }

  /** Longest packet in bytes that the links of this fabric carry. */
  int portMtuBytes() {
    return portMtuBytes;
  }

  void setPortMtuBytes(int bytes) {
    portMtuBytes = bytes;
  }

  void setPathMtu(IntUnaryOperator byLid) {
    pathMtuByLid = byLid;
  }

  /** Longest datagram in bytes that reaches the port, or all ports of the multicast group, of that LID. */
  int datagramMaxBytes(int destLid) {
    return Math.min(portMtuBytes, pathMtuByLid.applyAsInt(destLid));
  }

  int psnPerMessageMax() {
    return 1 << 22;
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
      activateStalled(); // They stall again, and time out if the link is down.
    }
  }

  void onCredits(CableMessage.Credits granted) {
    port.onCredits(granted);
    activateStalled();
  }

  private void activateStalled() {
    for (QueuePair qp = stalled.poll(); qp != null; qp = stalled.poll()) {
      qp.stalled = false;
      activate(qp);
    }
  }

  /** Transmits; the caller has checked that there is a credit. */
  void send(Packet packet) {
    counters.packetsSent++;
    counters.bytesSent += packet.payload().length();
    port.transmit(packet);
  }

  /** Whether a packet of that service level has a link credit, or needs none because the link is down and it is lost. */
  boolean mayTransmit(int serviceLevel) {
    return !port.isUp() || port.maySend(port.laneOf(serviceLevel));
  }

  /** Sends a packet of a service that loses packets without a word: one that finds the link down is lost. */
  void sendOrLose(Packet packet) {
    if (port.isUp()) {
      send(packet);
    } else {
      counters.packetsDropped++;
    }
  }

  void onPacket(Packet packet) {
    counters.packetsReceived++;
    counters.bytesReceived += packet.payload().length();
    try {
      if (packet.isMulticast()) {
        deliverToGroup(packet);
      } else if (!accepts(findQp(packet.destQp()), packet)) {
        counters.packetsDropped++;
      }
    } catch (PayloadLostException lost) {
      counters.packetsDropped++; // Lost under way as far as the protocol goes: nothing of it has been accepted yet.
    }
    packet.release();
    port.returnCredit(port.laneOf(packet.serviceLevel()));
  }

  private QueuePair findQp(int number) {
    QueuePair qp = lastQp;
    if (qp == null || qp.qpNum() != number) {
      qp = queuePairs.get(number);
      lastQp = qp;
    }
    return qp;
  }

  private void deliverToGroup(Packet packet) {
    boolean accepted = false;
    if (packet.destQp() == Packet.MULTICAST_QP) {
      for (QueuePair qp : multicast.of(packet.dstLid())) {
        accepted |= accepts(qp, packet);
      }
    }
    counters.packetsDropped += accepted ? 0 : 1;
  }

  private boolean accepts(QueuePair qp, Packet packet) {
    return qp != null && Opcode.isKnown(packet.opcode()) && Opcode.service(packet.opcode()) == qp.type().service()
        && (qp.type() == QpType.UD || qp.destLid == packet.srcLid()) && deliver(qp, packet);
  }

  private boolean deliver(QueuePair qp, Packet packet) {
    unpinned.begin(qp);
    QpState state = qp.state;
    if (Opcode.isRequest(packet.opcode())) {
      if (state != QpState.RTR && state != QpState.RTS && state != QpState.SQD && state != QpState.SQE) {
        return false;
      }
      qp.responder.onRequest(packet);
      return true;
    }
    if (state != QpState.RTS && state != QpState.SQD) {
      return false;
    }
    qp.requester.onResponse(packet, context.clock().nowNs());
    return true;
  }

  // Who sends next.

  /** The queue pair has something to send. */
  void activate(QueuePair qp) {
    if (!qp.active) {
      qp.active = true;
      active.add(qp);
    }
  }

  /** The queue pair owes an acknowledgement, which may wait until what has arrived already is processed. */
  void activateLater(QueuePair qp) {
    if (!qp.active && !qp.later) {
      qp.later = true;
      later.add(qp);
    }
  }

  void flushLater() {
    flushScheduled = false;
    for (QueuePair qp = later.poll(); qp != null; qp = later.poll()) {
      qp.later = false;
      activate(qp);
    }
  }

  /** Lets the active queue pairs send in turn, as far as windows and link credits go. Called after each message. */
  void pump() {
    if (!active.isEmpty() && !pumping) {
      pumping = true;
      long nowNs = context.clock().nowNs();
      for (QueuePair qp = active.poll(); qp != null; qp = active.poll()) {
        qp.active = false;
        transmit(qp, nowNs);
      }
      pumping = false;
    }
    if (!later.isEmpty() && !flushScheduled) {
      flushScheduled = true;
      self.tell(HcaActor.FLUSH_ACKS);
    }
  }

  private void transmit(QueuePair qp, long nowNs) {
    int burst = settings.burstPackets();
    for (int left = burst; left > 0; left--) {
      if (!mayTransmit(qp)) {
        return;
      }
      boolean wanted = port.isUp() || qp.requester.waitsForLink();
      if (wanted && !port.maySend(port.laneOf(qp.requester.serviceLevel()))) {
        if (left == burst) {
          stall(qp, nowNs);
        } else {
          activate(qp); // It has had its turn: those that have not are to wait for credits in front of it.
        }
        return;
      }
      if (!qp.responder.transmitOne() && !requesterTransmits(qp, nowNs)) {
        return;
      }
    }
    activate(qp);
  }

  private void stall(QueuePair qp, long nowNs) {
    counters.creditStalls++;
    if (!qp.stalled) {
      qp.stalled = true;
      stalled.add(qp);
    }
    if (!port.isUp()) {
      qp.requester.onLinkDown(nowNs);
    }
  }

  private static boolean mayTransmit(QueuePair qp) {
    return !qp.destroyed && (qp.responder.hasAnswer() || qp.state == QpState.RTS || qp.state == QpState.SQD);
  }

  private static boolean requesterTransmits(QueuePair qp, long nowNs) {
    if (qp.state != QpState.RTS && qp.state != QpState.SQD) {
      return false;
    }
    boolean hadNothing;
    do {
      hadNothing = qp.requester.allSent(); // Asked first: what is posted after this rings only if the doorbell was let go after it.
      if (qp.requester.transmitOne(nowNs)) {
        return true;
      }
    } while ((hadNothing || qp.requester.allSent()) && qp.sleepUnlessPosted());
    if (qp.state == QpState.ERR || qp.state == QpState.SQE) {
      flushRequester(qp); // It has just failed, and what was posted since is flushed too.
    }
    return false;
  }

  void onDoorbell(QueuePair qp) {
    if (qp.state == QpState.ERR || qp.state == QpState.SQE) {
      flushRequester(qp);
    } else if (qp.state == QpState.RESET) {
      qp.requester.reset();
      qp.sleepUnlessPosted();
    } else {
      activate(qp);
    }
  }

  void onReceivePosted(QueuePair qp) {
    if (qp.state == QpState.ERR) {
      qp.responder.flush(true);
    } else {
      qp.responder.onReceivePosted();
    }
  }

  // Timers.

  /** The requester's deadline has changed. */
  void timerChanged(QueuePair qp) {
    timers.changed(qp);
  }

  void onTimer(long deadlineNs) {
    timers.onTimer(deadlineNs);
  }

  // Memory.

  /** Regions of a scatter/gather list, in {@code reuse} if it is long enough; null if one may not be used. */
  MemoryRegion[] resolve(SgList list, MemoryRegion[] reuse, ProtectionDomain pd, int access) {
    MemoryRegion[] regions = reuse.length >= list.count ? reuse : new MemoryRegion[list.count];
    for (int i = 0; i < list.count; i++) {
      if (list.lengths[i] == 0) {
        continue;
      }
      MemoryRegion mr = memory.find(list.lkeys[i], pd);
      if (mr == null || mr.window() != null || (mr.access() & access) != access || !mr.contains(list.addresses[i], list.lengths[i])) {
        return null;
      }
      regions[i] = mr;
    }
    return regions;
  }

  /** Copies a payload into a scatter list; false if the memory is gone. */
  boolean place(Payload payload, SgList list, MemoryRegion[] regions, long offset) {
    return place(payload, list, regions, offset, counters.copies);
  }

  /** The same of what is not payload: it does not count as a copy. */
  boolean placeHeader(Payload header, SgList list, MemoryRegion[] regions) {
    return place(header, list, regions, 0, headerCopies);
  }

  private boolean place(Payload payload, SgList list, MemoryRegion[] regions, long offset, CopyCounter copies) {
    for (int i = 0; i < list.count; i++) {
      if (list.lengths[i] > 0 && !regions[i].isUsable()) {
        return false;
      }
    }
    try {
      if (!unpinned.hasAny(list, regions)) {
        GatherList.scatter(payload, list, regions, offset, copies);
      } else if (!unpinned.scatter(payload, list, regions, offset, copies)) {
        return false;
      }
    } catch (IllegalStateException closed) {
      return false;
    }
    counters.bytesPlaced += payload.length();
    return true;
  }

  /**
   * Copies a payload to an address of a region; false if the memory is gone. {@code more}: the same message goes on behind it.
   *
   * @throws PayloadLostException if the packet is to count as lost
   */
  boolean place(Payload payload, MemoryRegion mr, long address, boolean more) {
    beforeAccess();
    boolean placed;
    try {
      placed = copy(payload, mr, address);
    } catch (PayloadLostException lost) {
      afterWrite(false, mr, address, payload.length(), more);
      throw lost;
    }
    afterWrite(placed, mr, address, payload.length(), more);
    return placed;
  }

  private void afterWrite(boolean placed, MemoryRegion mr, long address, int length, boolean more) {
    if (observer == null) {
      return;
    }
    long at = nativeAddress(mr, address);
    if (!placed) {
      observer.gaveUp();
    } else if (!mr.isUnpinned() || unpinned.isSettled()) {
      observer.written(at, length, more);
    } else {
      observer.gaveUp(); // It counts as an access of its own when the data is where it can be seen.
      unpinned.afterCopies(kept -> {
        if (kept && observer != null) {
          observer.before();
          observer.written(at, length, more);
        }
      });
    }
  }

  private boolean copy(Payload payload, MemoryRegion mr, long address) {
    if (!mr.isUsable()) {
      return false;
    }
    try {
      if (!mr.isUnpinned()) {
        payload.copyTo(mr.segment(), address - mr.addr(), counters.copies);
      } else if (!unpinned.place(payload, mr, address)) {
        return false;
      }
    } catch (IllegalStateException closed) {
      return false;
    }
    counters.bytesPlaced += payload.length();
    return true;
  }

  /**
   * Writes a payload of 8 bytes to an aligned word at once; false if the memory is gone.
   *
   * @throws PayloadLostException if the packet is to count as lost
   */
  boolean placeWord(Payload payload, MemoryRegion mr, long address) {
    beforeAccess();
    boolean placed;
    try {
      placed = copyWord(payload, mr, address);
    } catch (PayloadLostException lost) {
      afterWrite(false, mr, address, Long.BYTES, false);
      throw lost;
    }
    afterWrite(placed, mr, address, Long.BYTES, false);
    return placed;
  }

  private boolean copyWord(Payload payload, MemoryRegion mr, long address) {
    try {
      payload.copyTo(word, 0, counters.copies);
      LONG.setVolatile(mr.segment(), address - mr.addr(), word.get(ValueLayout.JAVA_LONG, 0));
      MissingPages.raise();
    } catch (IllegalStateException closed) {
      return false;
    } catch (InternalError error) {
      MissingPages.expect(error);
      return false;
    }
    counters.bytesPlaced += Long.BYTES;
    return true;
  }

  /** Part of a region is being sent as the answer to a read. */
  void readBy(MemoryRegion mr, long address, int length, boolean more) {
    if (observer != null) {
      observer.before();
      observer.read(nativeAddress(mr, address), length, more);
    }
  }

  private static long nativeAddress(MemoryRegion mr, long address) {
    return mr.segment().address() + address - mr.addr();
  }

  boolean placeLong(long value, SgList list, MemoryRegion[] regions) {
    for (int i = 0; i < list.count; i++) {
      if (list.lengths[i] > 0 && !regions[i].isUsable()) {
        return false;
      }
    }
    if (unpinned.hasAny(list, regions)) {
      return place(Payload.of(MemorySegment.ofArray(new long[] {value}), 0, Long.BYTES), list, regions, 0);
    }
    try {
      scatterLong(value, list, regions);
      MissingPages.raise();
    } catch (IllegalStateException closed) {
      return false;
    } catch (InternalError error) {
      MissingPages.expect(error);
      return false;
    }
    counters.bytesPlaced += 8;
    counters.copies.add(8);
    return true;
  }

  private static void scatterLong(long value, SgList list, MemoryRegion[] regions) {
    int shift = 0;
    for (int i = 0; i < list.count; i++) {
      for (int b = 0; b < list.lengths[i]; b++, shift += 8) {
        long at = list.addresses[i] - regions[i].addr() + b;
        int position = java.nio.ByteOrder.nativeOrder() == java.nio.ByteOrder.LITTLE_ENDIAN ? shift : 56 - shift;
        regions[i].segment().set(ValueLayout.JAVA_BYTE, at, (byte) (value >>> position));
      }
    }
  }

  /** Whether the 8 bytes at that address are aligned in the machine's memory too. */
  boolean isWordAligned(MemoryRegion mr, long address) {
    return mr.isUnpinned() || ((mr.segment().address() + address - mr.addr()) & 7) == 0;
  }

  /**
   * Atomic against other queue pairs and against local VarHandle access to the same word.
   *
   * @throws IllegalStateException if the memory is gone; {@link #atomicGaveUp} is to be called then
   */
  long compareAndSwap(MemoryRegion mr, long address, long expected, long replacement) {
    beforeAccess();
    long found = mr.isUnpinned()
        ? unpinned.onWord(mr, address, (memory, at) -> (long) LONG.compareAndExchange(memory, at, expected, replacement))
        : compareAndExchange(mr.segment(), address - mr.addr(), expected, replacement);
    afterAtomic(mr, address, found == expected);
    return found;
  }

  /** The same. */
  long fetchAndAdd(MemoryRegion mr, long address, long addend) {
    beforeAccess();
    long found = mr.isUnpinned() ? unpinned.onWord(mr, address, (memory, at) -> (long) LONG.getAndAdd(memory, at, addend))
        : getAndAdd(mr.segment(), address - mr.addr(), addend);
    afterAtomic(mr, address, true);
    return found;
  }

  private static long compareAndExchange(MemorySegment memory, long at, long expected, long replacement) {
    try {
      // Looked at first: the JVM survives that a word it reads has no page; not, in code that it interprets, where it exchanges it.
      long found = (long) LONG.getVolatile(memory, at);
      MissingPages.raise();
      if (found == expected) {
        found = (long) LONG.compareAndExchange(memory, at, expected, replacement);
        MissingPages.raise();
      }
      return found;
    } catch (InternalError error) {
      MissingPages.expect(error);
      throw MissingPages.target(Long.BYTES);
    }
  }

  private static long getAndAdd(MemorySegment memory, long at, long addend) {
    try {
      long found = (long) LONG.getAndAdd(memory, at, addend);
      MissingPages.raise();
      return found;
    } catch (InternalError error) {
      MissingPages.expect(error);
      throw MissingPages.target(Long.BYTES);
    }
  }

  /** An atomic found no memory. */
  void atomicGaveUp() {
    if (observer != null) {
      observer.gaveUp();
    }
  }

  private void beforeAccess() {
    if (observer != null) {
      observer.before();
    }
  }

  private void afterAtomic(MemoryRegion mr, long address, boolean written) {
    if (observer != null) {
      observer.executedAtomic(nativeAddress(mr, address), written);
    }
  }

  /** A request is begun; posting has copied its bytes, if it carries them. */
  void countInline(SendWqe wqe) {
    if (wqe.inline) {
      counters.copies.add((int) wqe.length);
    }
  }

  // Completions and errors.

  /** A send request has completed; who polls that gets the slots of its queue before {@code slotsBefore} back. */
  void completeSend(QueuePair qp, long slotsBefore, long wrId, WcOpcode opcode, WcStatus status, int byteLen) {
    CompletionQueue cq = qp.sendCq();
    WorkCompletion wc = cq.claim();
    if (wc == null) {
      qp.sendSlots().forget(slotsBefore);
      overrun(cq);
      return;
    }
    fill(wc, qp, wrId, status, opcode, byteLen);
    wc.returns(qp.sendSlots(), slotsBefore);
    wc.withImm = false;
    wc.immData = 0;
    cq.push(status != WcStatus.SUCCESS);
  }

  private static void fill(WorkCompletion wc, QueuePair qp, long wrId, WcStatus status, WcOpcode opcode, int byteLen) {
    wc.wrId = wrId;
    wc.status = status;
    wc.opcode = opcode;
    wc.byteLen = byteLen;
    wc.qpNum = qp.qpNum();
    wc.srcLid = qp.destLid;
    wc.srcQp = qp.destQpNum;
    wc.serviceLevel = qp.serviceLevel;
    wc.withGrh = false;
    wc.vendorErr = status.ordinal();
    wc.withInv = false;
  }

  void completeReceive(QueuePair qp, long wrId, WcStatus status, WcOpcode opcode, int byteLen, boolean withImm,
      boolean withInv, int imm, boolean solicitedOrError) {
    CompletionCounters.completed(qp, CompletionCounter.Operation.RECV, status == WcStatus.SUCCESS);
    WorkCompletion wc = claimReceive(qp);
    if (wc == null) {
      return;
    }
    fill(wc, qp, wrId, status, opcode, byteLen);
    wc.withImm = withImm;
    wc.withInv = withInv;
    wc.immData = imm;
    qp.receiveCq().push(solicitedOrError);
  }

  /** Where the completion of the receive that was taken last is to be written; null if there is no room, then that is dealt with. */
  private WorkCompletion claimReceive(QueuePair qp) {
    QueueSlots slots = qp.receiveSlots();
    long before = qp.receivesTaken();
    WorkCompletion wc = qp.receiveCq().claim();
    if (wc != null) {
      wc.returns(slots, before);
      return wc;
    }
    if (slots != null) {
      slots.forget(before);
    }
    overrun(qp.receiveCq());
    return null;
  }

  /** A datagram was placed, behind its header. */
  void completeDatagram(QueuePair qp, long wrId, int byteLen, Packet packet) {
    CompletionCounters.completed(qp, CompletionCounter.Operation.RECV, true);
    WorkCompletion wc = claimReceive(qp);
    if (wc == null) {
      return;
    }
    fill(wc, qp, wrId, WcStatus.SUCCESS, WcOpcode.RECV, byteLen);
    wc.withImm = Opcode.hasImmDt(packet.opcode());
    wc.immData = packet.immediate();
    wc.srcLid = packet.srcLid();
    wc.srcQp = packet.srcQp();
    wc.serviceLevel = packet.serviceLevel();
    wc.withGrh = true;
    qp.receiveCq().push(packet.solicited());
  }

  private void overrun(CompletionQueue cq) {
    if (cq.isOverrun()) {
      return;
    }
    cq.markOverrun();
    event(AsyncEvent.Type.CQ_ERR, cq.number());
    for (QueuePair qp : sortedQueuePairs()) {
      if ((qp.sendCq() == cq || qp.receiveCq() == cq) && qp.state != QpState.RESET) {
        toError(qp, AsyncEvent.Type.QP_FATAL);
      }
    }
  }

  /** Takes the queue pair to ERR and flushes it; {@code event} may be null. */
  void toError(QueuePair qp, AsyncEvent.Type event) {
    toError(qp, event, false);
  }

  /** The same, but what the responder owes its peer still leaves. */
  void toErrorAfterAnswers(QueuePair qp, AsyncEvent.Type event) {
    toError(qp, event, true);
  }

  private void toError(QueuePair qp, AsyncEvent.Type event, boolean keepAnswers) {
    if (qp.state == QpState.ERR) {
      return;
    }
    qp.state = QpState.ERR;
    qp.lease.revoke();
    qp.count(false);
    flushRequester(qp);
    qp.responder.flush(keepAnswers);
    if (event != null) {
      event(event, qp.qpNum());
    }
    sharedReceiveQueues.lastReceiveReached(qp);
  }

  /** A request of a UC or UD queue pair has failed: its send queue stops, its receive queue does not. */
  void toSendQueueError(QueuePair qp) {
    if (qp.state == QpState.RTS || qp.state == QpState.SQD) {
      qp.state = QpState.SQE;
      flushRequester(qp);
    }
  }

  /** Flushes what is posted, and lets the next post ring the doorbell again, so that it is flushed too. */
  private static void flushRequester(QueuePair qp) {
    do {
      qp.requester.flush();
    } while (qp.sleepUnlessPosted());
  }

  List<CompletionQueue> completionQueues() {
    return List.copyOf(completionQueues);
  }

  /** Those that go to ERR when the HCA is closed. */
  List<QueuePair> queuePairsToFlush() {
    return sortedQueuePairs().stream().filter(qp -> qp.state != QpState.RESET).toList();
  }

  /** Nothing of it is touched any more when this returns. */
  void invalidateMemory() {
    for (MemoryRegion mr : memory.all()) {
      mr.invalidate();
      mr.loan().awaitReaders();
    }
    for (MemoryRegion binding : memory.bindings()) {
      binding.invalidate();
      binding.loan().awaitReaders();
    }
  }

  void event(AsyncEvent.Type type, int number) {
    events.add(new AsyncEvent(type, number));
  }

  void drained(QueuePair qp) {
    if (qp.drainNotify) {
      qp.drainNotify = false;
      event(AsyncEvent.Type.SQ_DRAINED, qp.qpNum());
    }
  }

  // Control verbs, on the hardware thread.

  CompletionQueue createCq(CqExAttr attr) {
    if (completionQueues.size() >= settings.completionQueuesMax()) {
      throw new VerbsException(VerbsException.Errno.ENOMEM, "the HCA holds " + settings.completionQueuesMax()
          + " completion queues already; raise weft.hca.completion-queues-max");
    }
    CompletionQueue cq = new CompletionQueue(hca, nextCqNum++, attr, context.clock());
    completionQueues.add(cq);
    if (cq.hasActor()) {
      self.tell(new HcaActor.SpawnCq(cq));
    }
    return cq;
  }

  void destroyCq(CompletionQueue cq) {
    if (cq.useCount > 0) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "completion queue " + cq.number() + " is used by " + cq.useCount
          + " work queues; destroy their queue pairs first");
    }
    if (!completionQueues.remove(cq)) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "completion queue " + cq.number() + " is not one of this HCA's");
    }
    cq.destroyed = true;
    cq.stopActor();
  }

  QueuePair createQp(ProtectionDomain pd, ParentDomain parent, QpInitAttr attr) {
    if (queuePairs.size() >= settings.queuePairsMax()) {
      throw new VerbsException(VerbsException.Errno.ENOMEM,
          "the HCA holds " + settings.queuePairsMax() + " queue pairs already; raise weft.hca.queue-pairs-max");
    }
    if (attr.sendCq().destroyed || attr.receiveCq().destroyed || pd.deallocated
        || (parent != null && parent.deallocated)) {
      throw new VerbsException(VerbsException.Errno.EINVAL,
          "the " + (attr.sendCq().destroyed || attr.receiveCq().destroyed ? "completion queue was destroyed" : "domain was deallocated")
              + " already");
    }
    MemorySegment given = parent == null ? null : parent.allocate(SendQueue.inlineBytes(attr.maxSendWr(), attr.maxInlineData()));
    try {
      sharedReceiveQueues.attach(attr.srq());
    } catch (VerbsException refused) {
      if (given != null) {
        parent.free(given);
      }
      throw refused;
    }
    while (queuePairs.containsKey(nextQpNum)) {
      nextQpNum = nextQpNum == Psn.MASK - 1 ? 0x11 : nextQpNum + 1;
    }
    QueuePair qp = new QueuePair(hca, this, pd, nextQpNum, attr, given);
    try {
      unpinned.enroll(qp);
    } catch (VerbsException refused) {
      sharedReceiveQueues.detach(attr.srq());
      if (given != null) {
        parent.free(given);
      }
      throw refused;
    }
    nextQpNum = nextQpNum == Psn.MASK - 1 ? 0x11 : nextQpNum + 1;
    queuePairs.put(qp.qpNum(), qp);
    attr.sendCq().useCount++;
    attr.receiveCq().useCount++;
    pd.useCount++;
    if (parent != null) {
      parent.useCount++;
      qp.parent = parent;
    }
    return qp;
  }

  void destroyQp(QueuePair qp) {
    if (queuePairs.get(qp.qpNum()) != qp) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "queue pair " + qp.qpNum() + " is destroyed already");
    }
    if (qp.multicastCount > 0) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "queue pair " + qp.qpNum() + " is attached to " + qp.multicastCount
          + " multicast groups; detach it first");
    }
    reset(qp);
    qp.destroyed = true;
    queuePairs.remove(qp.qpNum());
    timers.remove(qp);
    lastQp = null;
    qp.sendCq().useCount--;
    qp.receiveCq().useCount--;
    qp.pd().useCount--;
    sharedReceiveQueues.detach(qp.initAttr().srq());
    if (qp.parent != null) {
      qp.parent.useCount--;
      qp.freeGivenMemory();
    }
    windows.release(qp);
    qp.closeLeases();
    CompletionCounters.detach(qp);
    unpinned.leave(qp);
  }

  void attachMulticast(QueuePair qp, int groupLid) {
    if (qp.destroyed || queuePairs.get(qp.qpNum()) != qp || qp.type() != QpType.UD || !Packet.isMulticast(groupLid)) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "only datagram queue pairs of this HCA can be attached, and to LIDs from "
          + Packet.MULTICAST_LID_MIN + " to " + Packet.MULTICAST_LID_MAX + "; got " + qp + " and LID " + groupLid);
    }
    multicast.attach(qp, groupLid);
  }

  void detachMulticast(QueuePair qp, int groupLid) {
    multicast.detach(qp, groupLid);
  }

  private static void reset(QueuePair qp) {
    qp.state = QpState.RESET;
    qp.lease.revoke();
    qp.takeAnswersBack();
    qp.count(false);
    qp.drainNotify = false;
    do {
      qp.requester.reset();
    } while (qp.sleepUnlessPosted());
    qp.responder.reset();
  }

  void modifyQp(QueuePair qp, QpAttr attr) {
    if (qp.destroyed) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "queue pair " + qp.qpNum() + " is destroyed");
    }
    QpState from = qp.state;
    QpTransitions.check(qp.type(), from, attr, settings);
    QpState to = (attr.mask & QpAttr.STATE) != 0 ? attr.state : from;
    if (from == QpState.SQD && (to == QpState.RTS || to == QpState.SQD) && !qp.requester.isDrained()) {
      throw new VerbsException(VerbsException.Errno.EINVAL, "the send queue of queue pair " + qp.qpNum()
          + " is still draining; wait for SQ_DRAINED, see EN_SQD_ASYNC_NOTIFY");
    }
    qp.apply(attr);
    switch (to) {
      case RESET -> reset(qp);
      case ERR -> {
        qp.takeAnswersBack();
        toError(qp, null);
      }
      case INIT, SQE -> qp.state = to;
      case RTR -> {
        qp.responder.start(qp.rqPsn, qp.maxDestRdAtomic);
        qp.state = to;
        qp.count(true);
      }
      case RTS -> {
        if (from == QpState.RTR) {
          qp.requester.start(qp.sqPsn);
        }
        qp.state = to;
        activate(qp);
      }
      case SQD -> {
        qp.state = to;
        qp.responder.resize(qp.maxDestRdAtomic);
        if (qp.requester.isDrained()) {
          drained(qp);
        }
      }
    }
    pump();
  }

  /** A host's virtual memory is there from now on. */
  void attach(HostVm vm) {
    if (unpinned.pages() != null) {
      throw new VerbsException(VerbsException.Errno.EBUSY, "this HCA has a host's virtual memory already");
    }
    NicPages pages = new NicPages(vm, portMtuBytes, counters.copies, unpinned::woken);
    unpinned.attach(pages);
    self.tell(new HcaActor.SpawnShadowPt(pages));
  }

  /** An unpinned region was registered: the queue pairs of its domain need credit from now on. */
  void enroll(ProtectionDomain pd) {
    pd.unpinnedRegions++;
    try {
      for (QueuePair qp : sortedQueuePairs()) {
        if (qp.pd() == pd || qp.receivePd() == pd) {
          unpinned.enroll(qp);
        }
      }
    } catch (VerbsException refused) {
      pd.unpinnedRegions--;
      throw refused;
    }
  }

  private List<QueuePair> sortedQueuePairs() {
    List<QueuePair> list = new ArrayList<>(queuePairs.values());
    list.sort(java.util.Comparator.comparingInt(QueuePair::qpNum));
    return list;
  }

  HcaSnapshot snapshot(String node) {
    return new HcaSnapshot(node, port.lid(), port.isUp(), port.credits(), counters.snapshot(),
        sortedQueuePairs().stream().map(QueuePair::snapshot).toList(),
        completionQueues.stream().map(CompletionQueue::snapshot).toList(),
        memory.all().stream().map(mr -> new HcaSnapshot.Mr(mr.addr(), mr.length(), Access.describe(mr.access()), mr.isPinned(),
            mr.isValid())).toList(),
        sharedReceiveQueues.snapshot(), windows.snapshot(), completionCounters.snapshot(), multicast.snapshot(),
        domains.values().stream().map(ProtectionDomain::snapshot).toList());
  }
}
