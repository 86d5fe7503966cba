package dev.weft.fabric.switching;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.ActorContext;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.Bursts;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CableMessage.WantsXoff;
import dev.weft.fabric.packet.CableMessage.Xoff;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.time.FabricContext;

/**
 * One port of a switch: the ingress of packets that come in from its cable, and the egress of packets that leave on it.
 *
 * <p>A packet costs two messages inside the switch: the cable's to the ingress port, and {@link Forward} to the egress port. The
 * egress port transmits immediately if it holds a credit and nothing is queued on the lane. Otherwise the packet waits in the
 * {@link EgressArbiter}, which the input buffers of the ingress ports bound.
 *
 * <p>A packet that is never retransmitted ({@link Packet#isLossless}) waits for its credit as long as the link is up, and so delays its
 * sender. The port discards it only if the link accepts nothing for the lossless lifetime. So a far end that is stuck forever does not
 * block other packets that share the senders' buffers.
 */
final class SwitchPortActor {
  /** A command to a port from the switch or another port. */
  sealed interface Command extends HardwareMessage {}

  /** A packet that came in at port {@code ingressPort} and leaves through this port. */
  record Forward(Packet packet, int ingressPort) implements Command {}

  /** Returns {@code count} credits to the far end, unless the link has changed since {@code session}. */
  record ReturnCredits(int virtualLane, int count, int session) implements Command {}

  /** Gives the port its cable; {@code linkUp} says whether the far end is known to be up. */
  record PlugIn(Cable cable, boolean linkUp) implements Command {}

  /** Sets the administrative link state. */
  record SetLink(boolean up) implements Command {}

  /** Sets the LID of the end port at the far end. */
  record SetLid(int lid) implements Command {}

  /** Detaches: discards packets that are queued or still on the way, then sends {@link SwitchActor.PortDrained} to {@code owner}. */
  record Unplug(ActorRef<SwitchActor.Command> owner) implements Command {}

  private record WireFree() implements Command {}

  private record CheckHeadOfQueue() implements Command {}

  private record CheckLossless() implements Command {}

  private record CheckDrained(ActorRef<SwitchActor.Command> owner) implements Command {}

  private static final WireFree WIRE_FREE = new WireFree();
  private static final CheckHeadOfQueue CHECK_HEAD_OF_QUEUE = new CheckHeadOfQueue();
  private static final CheckLossless CHECK_LOSSLESS = new CheckLossless();

  private final FabricContext fabric;
  private final int virtualLanes;
  private final SwitchMemory memory;
  private final PortRegisters own;
  private final ActorRef<HardwareMessage> self;
  private Cable cable;
  private boolean wantedUp = true;
  private boolean farEndUp;
  private boolean checkArmed;
  private boolean losslessCheckArmed;
  private long losslessCheckDueNs;
  private boolean wireAwaited;
  private long checkDueNs;

  private SwitchPortActor(
      ActorContext<HardwareMessage> actor, FabricContext fabric, SwitchMemory memory, PortRegisters own) {
    this.self = actor.getSelf();
    this.fabric = fabric;
    this.memory = memory;
    this.virtualLanes = memory.settings().virtualLanes();
    this.own = own;
  }

  static Behavior<HardwareMessage> create(FabricContext fabric, SwitchMemory memory, PortRegisters registers) {
    return Behaviors.setup(
        actor -> {
          SwitchPortActor port = new SwitchPortActor(actor, fabric, memory, registers);
          return Behaviors.receiveMessage(port::onMessage);
        });
  }

  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    if (message instanceof Packet packet) {
      onPacket(packet);
    } else if (message instanceof Forward forward) {
      onForward(forward.packet(), forward.ingressPort());
    } else if (message instanceof Credits granted) {
      onCredits(granted);
    } else if (message instanceof LinkState state) {
      onLinkState(state);
    } else if (message instanceof WantsXoff wants) {
      own.xoff.start(wants.xoffAtPackets(), wants.xonAtPackets());
    } else if (message instanceof Xoff xoff) {
      onXoff(xoff);
    } else if (message instanceof Command command) {
      return onCommand(command);
    } else {
      own.unknownMessages.add("port " + own.number + " (" + own.name + ")", message);
    }
    return Behaviors.same();
  }

  private Behavior<HardwareMessage> onCommand(Command command) {
    switch (command) {
      case Forward forward -> onForward(forward.packet(), forward.ingressPort());
      case ReturnCredits due -> onReturnCredits(due);
      case PlugIn plugIn -> onPlugIn(plugIn);
      case SetLink setLink -> onSetLink(setLink);
      case SetLid setLid -> onSetLid(setLid);
      case Unplug unplug -> onUnplug(unplug);
      case WireFree free -> onWireFree();
      case CheckHeadOfQueue check -> onCheckHeadOfQueue();
      case CheckLossless check -> onCheckLossless();
      case CheckDrained check -> {
        return onCheckDrained(check);
      }
    }
    return Behaviors.same();
  }

  // ---- ingress

  private void onPacket(Packet packet) {
    own.packetsIn++;
    own.bytesIn += packet.wireLength();
    if (!own.up) {
      discard(packet, DiscardReason.LINK_DOWN);
      return;
    }
    int lane = VirtualLane.of(packet.serviceLevel(), virtualLanes);
    int due = own.input.arrived(lane);
    if (due == InputBuffer.VIOLATION) {
      discard(packet, DiscardReason.CREDIT_VIOLATION);
      return;
    }
    if (due > 0) {
      cable.transmit(new Credits(lane, due));
    }
    if (own.xoff.isUsed() && own.xoff.occupied(lane, own.input.occupied(lane))) {
      cable.transmit(new Xoff(lane, true));
    }
    if (packet.isMulticast()) {
      replicate(packet, lane);
      return;
    }
    PortRegisters egress = memory.egressFor(packet.dstLid());
    if (egress == null) {
      discard(packet, DiscardReason.NO_ROUTE);
      giveBack(lane, own);
    } else if (egress == own) {
      onForward(packet, own.number);
    } else {
      cross(packet, egress);
    }
  }

  /** Sends a packet over one of the paths through the switch. If there are several, packets may overtake each other. */
  private void cross(Packet packet, PortRegisters egress) {
    SwitchSettings settings = memory.settings();
    Forward forward = new Forward(packet, own.number);
    if (settings.paths() == 1) {
      egress.ref.tell(forward);
    } else {
      long delayNs = settings.pathSkewNs() * fabric.random().nextInt(settings.paths());
      fabric.timers().at(fabric.clock().nowNs() + delayNs, egress.ref, forward);
    }
  }

  /** Forwards one copy to each port of the group. All copies refer to the same bytes; their owner is told at the last release. */
  private void replicate(Packet packet, int lane) {
    int[] ports = memory.groups().portsOf(packet.dstLid());
    int copies = 0;
    for (int number : ports) {
      copies += memory.mayReplicate(own, number) ? 1 : 0;
    }
    if (copies == 0) {
      discard(packet, DiscardReason.NO_ROUTE);
      giveBack(lane, own);
      return;
    }
    Packet shared = packet.with(packet.payload().sharedBy(copies));
    own.replicas.begin(shared, copies);
    boolean toItself = false;
    for (int number : ports) {
      if (number == own.number) {
        toItself = memory.mayReplicate(own, number);
      } else if (memory.mayReplicate(own, number)) {
        memory.port(number).ref.tell(new Forward(shared, own.number));
      }
    }
    if (toItself) {
      onForward(shared, own.number);
    }
  }

  private void onReturnCredits(ReturnCredits due) {
    if (due.session() == own.input.session()) {
      if (due.count() > 0) {
        cable.transmit(new Credits(due.virtualLane(), due.count()));
      }
      xonIfFree(due.virtualLane());
    }
  }

  private void xonIfFree(int lane) {
    if (own.xoff.isUsed() && own.xoff.freed(lane, own.input.occupied(lane))) {
      cable.transmit(new Xoff(lane, false));
    }
  }

  // ---- egress

  private void onForward(Packet packet, int ingressPort) {
    int lane = VirtualLane.of(packet.serviceLevel(), virtualLanes);
    if (!own.up) {
      discard(packet, DiscardReason.LINK_DOWN);
      leave(packet, lane, memory.port(ingressPort));
    } else if (own.arbiter.depth(lane) == 0 && isWireFree() && own.credits.take(lane)) {
      send(packet, lane, ingressPort);
    } else if (own.monitor.isStalled(lane) && !packet.isLossless()) {
      discard(packet, DiscardReason.HEAD_OF_QUEUE_LIFETIME);
      leave(packet, lane, memory.port(ingressPort));
    } else if (coalesce(packet, lane, ingressPort)) {
      own.burstsCoalesced++;
      leave(packet, lane, memory.port(ingressPort));
    } else {
      own.arbiter.enqueue(lane, ingressPort, packet);
      block(lane);
      awaitWire();
    }
  }

  /**
   * Whether the cable can send a packet immediately. A cut-through switch knows when its wire is busy; it queues packets meanwhile, and
   * joins and cuts bursts in the queue. In a store-and-forward switch, packets wait in the cable.
   */
  private boolean isWireFree() {
    return !memory.settings().cutThrough() || cable.freeAtNs() <= fabric.clock().nowNs();
  }

  private void awaitWire() {
    if (!wireAwaited && !isWireFree()) {
      wireAwaited = true;
      fabric.timers().at(cable.freeAtNs(), self, WIRE_FREE);
    }
  }

  private void onWireFree() {
    wireAwaited = false;
    if (own.up) {
      sendQueued();
    }
  }

  /** Joins the packet with a queued one. Never on a trunk, whose largest payload may be smaller. */
  private boolean coalesce(Packet packet, int lane, int ingressPort) {
    return !own.trunk && Bursts.isBurst(packet) && !packet.isMulticast()
        && own.arbiter.coalesce(lane, ingressPort, packet, memory.settings().burstMaxBytes());
  }

  private void send(Packet packet, int lane, int ingressPort) {
    transmit(packet);
    leave(packet, lane, memory.port(ingressPort));
  }

  private void transmit(Packet packet) {
    own.packetsOut++;
    own.bytesOut += packet.wireLength();
    cable.transmit(packet);
  }

  /** Handles a copy that has left the switch. The last copy frees the input buffer. */
  private void leave(Packet packet, int lane, PortRegisters ingress) {
    if (!packet.isMulticast() || ingress.replicas.left(packet)) {
      giveBack(lane, ingress);
    }
  }

  /** Frees the buffer of a packet at {@code ingress}; the credit goes back when a batch is due. */
  private void giveBack(int lane, PortRegisters ingress) {
    int due = ingress.input.freed(lane);
    if (due == 0 && !ingress.xoff.isPaused(lane)) {
      return;
    }
    if (ingress == own) {
      onReturnCredits(new ReturnCredits(lane, due, own.input.session()));
    } else {
      ingress.ref.tell(new ReturnCredits(lane, due, ingress.input.session()));
    }
  }

  /** Stops or continues sending on a lane; the credits stay. */
  private void onXoff(Xoff xoff) {
    own.credits.pause(xoff.virtualLane(), xoff.stop());
    if (own.up && !xoff.stop()) {
      sendQueued();
    }
  }

  private void onCredits(Credits granted) {
    if (!own.up) {
      return;
    }
    int lane = granted.virtualLane();
    if (!own.credits.grant(lane, granted.count())) {
      own.controlErrors++;
      return;
    }
    sendQueued();
    restartLifetime(lane);
  }

  /** Restarts the lifetime of the packets that still wait on a lane, because the lane could send. */
  private void restartLifetime(int lane) {
    own.monitor.clear(lane);
    own.lossless.clear(lane);
    if (own.arbiter.depth(lane) > 0) {
      block(lane);
    }
  }

  /** Starts the time of packets that wait on the lane. If the lane is stalled, only lossless packets wait. */
  private void block(int lane) {
    if (!own.monitor.isStalled(lane)) {
      if (!own.monitor.isBlocked(lane)) {
        own.monitor.block(lane, fabric.clock().nowNs());
        armCheck();
      }
    } else if (!own.lossless.isBlocked(lane)) {
      own.lossless.block(lane, fabric.clock().nowNs());
      armLosslessCheck();
    }
  }

  private void sendQueued() {
    int next;
    while ((next = own.arbiter.nextLane(own.credits)) >= 0) {
      if (!isWireFree()) {
        awaitWire();
        return;
      }
      own.credits.take(next);
      Packet packet = own.arbiter.poll(next, memory.settings().burstQuantumBytes());
      if (own.arbiter.polledPart()) {
        own.burstsSplit++;
        transmit(packet);
      } else {
        send(packet, next, own.arbiter.polledIngress());
      }
      if (memory.settings().cutThrough()) {
        restartLifetime(next);
      }
    }
  }

  // ---- head-of-queue lifetime

  private void armCheck() {
    if (!checkArmed) {
      checkArmed = true;
      checkDueNs = own.monitor.nextExpiryNs();
      fabric.timers().at(checkDueNs, self, CHECK_HEAD_OF_QUEUE);
    }
  }

  private void onCheckHeadOfQueue() {
    checkArmed = false;
    long nowNs = fabric.clock().nowNs();
    if (nowNs - checkDueNs > own.monitor.lifetimeNs() / 2) {
      own.monitor.restart(nowNs);
    }
    for (int lane = 0; lane < virtualLanes; lane++) {
      if (own.monitor.expire(lane, nowNs)) {
        discardLossy(lane);
        if (own.arbiter.depth(lane) > 0) {
          block(lane);
        }
      }
    }
    if (own.monitor.isAnyBlocked()) {
      armCheck();
    }
  }

  private void armLosslessCheck() {
    if (!losslessCheckArmed) {
      losslessCheckArmed = true;
      losslessCheckDueNs = own.lossless.nextExpiryNs();
      fabric.timers().at(losslessCheckDueNs, self, CHECK_LOSSLESS);
    }
  }

  private void onCheckLossless() {
    losslessCheckArmed = false;
    long nowNs = fabric.clock().nowNs();
    if (nowNs - losslessCheckDueNs > own.lossless.lifetimeNs() / 2) {
      own.lossless.restart(nowNs);
    }
    for (int lane = 0; lane < virtualLanes; lane++) {
      if (own.lossless.expire(lane, nowNs)) {
        own.lossless.clear(lane);
        discardQueued(lane, DiscardReason.HEAD_OF_QUEUE_LIFETIME);
      }
    }
    if (own.lossless.isAnyBlocked()) {
      armLosslessCheck();
    }
  }

  private void discardLossy(int lane) {
    Packet packet;
    while ((packet = own.arbiter.pollLossy(lane)) != null) {
      discard(packet, DiscardReason.HEAD_OF_QUEUE_LIFETIME);
      leave(packet, lane, memory.port(own.arbiter.polledIngress()));
    }
  }

  private void discardQueued(int lane, DiscardReason reason) {
    Packet packet;
    while ((packet = own.arbiter.poll(lane)) != null) {
      discard(packet, reason);
      leave(packet, lane, memory.port(own.arbiter.polledIngress()));
    }
  }

  private void discard(Packet packet, DiscardReason reason) {
    own.countDiscard(reason);
    packet.release();
  }

  // ---- link

  private void onPlugIn(PlugIn plugIn) {
    cable = plugIn.cable();
    farEndUp = plugIn.linkUp();
    applyLink();
  }

  private void onLinkState(LinkState state) {
    farEndUp = state.up();
    applyLink();
  }

  private void onSetLink(SetLink setLink) {
    boolean wasUp = own.up;
    wantedUp = setLink.up();
    applyLink();
    if (wasUp && !own.up) {
      cable.transmit(new LinkState(false, own.lid));
    }
  }

  private void onSetLid(SetLid setLid) {
    own.lid = setLid.lid();
    if (own.up) {
      cable.transmit(new LinkState(true, own.lid));
    }
  }

  private void applyLink() {
    boolean nowUp = cable != null && wantedUp && farEndUp;
    if (nowUp == own.up) {
      return;
    }
    own.up = nowUp;
    if (nowUp) {
      own.input.open();
      cable.transmit(new LinkState(true, own.lid));
      for (int lane = 0; lane < virtualLanes; lane++) {
        int grant = own.input.grant(lane);
        if (grant > 0) {
          cable.transmit(new Credits(lane, grant));
        }
      }
    } else {
      own.input.close();
      own.xoff.stop();
      own.credits.reset();
      for (int lane = 0; lane < virtualLanes; lane++) {
        discardQueued(lane, DiscardReason.LINK_DOWN);
        own.monitor.clear(lane);
        own.lossless.clear(lane);
      }
    }
  }

  // ---- detach

  private void onUnplug(Unplug unplug) {
    onSetLink(new SetLink(false));
    awaitDrained(unplug.owner());
  }

  /** Waits for packets that the far end sent before it learned of the detachment: they still come in and must be released. */
  private void awaitDrained(ActorRef<SwitchActor.Command> owner) {
    long deadlineNs = fabric.clock().nowNs() + memory.settings().hoqLifetimeNs();
    fabric.timers().at(deadlineNs, self, new CheckDrained(owner));
  }

  private Behavior<HardwareMessage> onCheckDrained(CheckDrained check) {
    if (!own.input.isEmpty()) {
      awaitDrained(check.owner());
      return Behaviors.same();
    }
    check.owner().tell(new SwitchActor.PortDrained(own.number));
    return Behaviors.stopped();
  }
}
