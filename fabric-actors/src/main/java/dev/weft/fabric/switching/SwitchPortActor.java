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
import dev.weft.fabric.packet.CableMessage.LinkControl;
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
  /** A message to a port from the switch, another port, or its own timers. */
  sealed interface Command extends HardwareMessage {}

  /** A command that controls the port; a packet is none. */
  sealed interface Control extends Command {}

  /** A packet that came in at port {@code ingressPort} and leaves through this port. */
  record Forward(Packet packet, int ingressPort) implements Command {
    @Override
    public void rejected() {
      packet.rejected();
    }
  }

  /** Returns {@code count} credits to the far end, unless the link has changed since {@code session}. */
  record ReturnCredits(int virtualLane, int count, int session) implements Control {}

  /** Gives the port its cable; {@code linkUp} says whether the far end is known to be up. */
  record PlugIn(Cable cable, boolean linkUp) implements Control {}

  /** Sets the administrative link state. */
  record SetLink(boolean up) implements Control {}

  /** Sets the LID of the end port at the far end. */
  record SetLid(int lid) implements Control {}

  /** Detaches: discards packets that are queued or still on the way, then sends {@link SwitchActor.PortDrained} to {@code owner}. */
  record Unplug(ActorRef<SwitchActor.Command> owner) implements Control {}

  private record WireFree() implements Control {}

  private record CheckHeadOfQueue() implements Control {}

  private record CheckLossless() implements Control {}

  private record CheckDrained(ActorRef<SwitchActor.Command> owner) implements Control {}

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
  private boolean wireAwaited;

  private SwitchPortActor(ActorContext<HardwareMessage> actor, FabricContext fabric, SwitchMemory memory, PortRegisters own) {
    this.self = actor.getSelf();
    this.fabric = fabric;
    this.memory = memory;
    this.virtualLanes = memory.settings().virtualLanes();
    this.own = own;
  }

  static Behavior<HardwareMessage> create(FabricContext fabric, SwitchMemory memory, PortRegisters registers) {
    return Behaviors.setup(actor -> Behaviors.receiveMessage(new SwitchPortActor(actor, fabric, memory, registers)::onMessage));
  }

  /** Packets come first, because they are most of the messages. A message of another element's protocol has no effect. */
  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    switch (message) {
      case Packet packet -> onPacket(packet);
      case Forward forward -> onForward(forward.packet(), forward.ingressPort());
      case LinkControl control -> onLinkControl(control);
      case Control control -> {
        return onControl(control);
      }
      default -> own.unknownMessages.add("port " + own.number + " (" + own.name + ")", message);
    }
    return Behaviors.same();
  }

  private void onLinkControl(LinkControl control) {
    switch (control) {
      case Credits granted -> onCredits(granted);
      case LinkState state -> onLinkState(state);
      case WantsXoff wants -> own.input.startXoff(wants.xoffAtPackets(), wants.xonAtPackets());
      case Xoff xoff -> onXoff(xoff);
    }
  }

  private Behavior<HardwareMessage> onControl(Control control) {
    switch (control) {
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
    if (own.input.mustPause(lane)) {
      cable.transmit(new Xoff(lane, true));
    }
    if (packet.isMulticast()) {
      replicate(packet, lane);
      return;
    }
    PortRegisters egress = memory.egressFor(packet.dstLid());
    if (egress == null) {
      discardUnrouted(packet, lane);
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
      discardUnrouted(packet, lane);
      return;
    }
    Packet shared = packet.with(packet.payload().sharedBy(copies));
    own.input.replicated(shared, copies);
    boolean toItself = false;
    for (int number : ports) {
      if (number == own.number) {
        toItself = memory.mayReplicate(own, number);
      } else if (memory.mayReplicate(own, number)) {
        memory.actor(number).tell(new Forward(shared, own.number));
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
      if (own.input.mustContinue(due.virtualLane())) {
        cable.transmit(new Xoff(due.virtualLane(), false));
      }
    }
  }

  private void discardUnrouted(Packet packet, int lane) {
    discard(packet, DiscardReason.NO_ROUTE);
    ReturnCredits due = own.input.dropped(lane);
    if (due != null) {
      onReturnCredits(due);
    }
  }

  // ---- egress

  private void onForward(Packet packet, int ingressPort) {
    int lane = VirtualLane.of(packet.serviceLevel(), virtualLanes);
    if (!own.up) {
      discard(packet, DiscardReason.LINK_DOWN);
      leave(packet, lane, ingressPort);
    } else if (own.arbiter.depth(lane) == 0 && isWireFree() && own.credits.take(lane)) {
      send(packet, lane, ingressPort);
    } else if (own.monitor.isStalled(lane) && !packet.isLossless()) {
      discard(packet, DiscardReason.HEAD_OF_QUEUE_LIFETIME);
      leave(packet, lane, ingressPort);
    } else if (coalesce(packet, lane, ingressPort)) {
      own.burstsCoalesced++;
      leave(packet, lane, ingressPort);
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
    leave(packet, lane, ingressPort);
  }

  private void transmit(Packet packet) {
    own.packetsOut++;
    own.bytesOut += packet.wireLength();
    cable.transmit(packet);
  }

  /** Counts a copy that has left the switch out of the input buffer. Its port gets a message when credits are due. */
  private void leave(Packet packet, int lane, int ingressPort) {
    ReturnCredits due = memory.left(packet, lane, ingressPort);
    if (due == null) {
      return;
    }
    if (ingressPort == own.number) {
      onReturnCredits(due);
    } else {
      memory.actor(ingressPort).tell(due);
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
        awaitCheck(own.monitor, CHECK_HEAD_OF_QUEUE);
      }
    } else if (!own.lossless.isBlocked(lane)) {
      own.lossless.block(lane, fabric.clock().nowNs());
      awaitCheck(own.lossless, CHECK_LOSSLESS);
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

  private void awaitCheck(HeadOfQueueMonitor monitor, Control check) {
    if (monitor.awaitCheck()) {
      fabric.timers().at(monitor.checkDueNs(), self, check);
    }
  }

  private void onCheckHeadOfQueue() {
    long nowNs = fabric.clock().nowNs();
    own.monitor.beginCheck(nowNs);
    for (int lane = 0; lane < virtualLanes; lane++) {
      if (own.monitor.expire(lane, nowNs)) {
        discardLossy(lane);
        if (own.arbiter.depth(lane) > 0) {
          block(lane);
        }
      }
    }
    awaitCheck(own.monitor, CHECK_HEAD_OF_QUEUE);
  }

  private void onCheckLossless() {
    long nowNs = fabric.clock().nowNs();
    own.lossless.beginCheck(nowNs);
    for (int lane = 0; lane < virtualLanes; lane++) {
      if (own.lossless.expire(lane, nowNs)) {
        own.lossless.clear(lane);
        discardQueued(lane, DiscardReason.HEAD_OF_QUEUE_LIFETIME);
      }
    }
    awaitCheck(own.lossless, CHECK_LOSSLESS);
  }

  private void discardLossy(int lane) {
    Packet packet;
    while ((packet = own.arbiter.pollLossy(lane)) != null) {
      discard(packet, DiscardReason.HEAD_OF_QUEUE_LIFETIME);
      leave(packet, lane, own.arbiter.polledIngress());
    }
  }

  private void discardQueued(int lane, DiscardReason reason) {
    Packet packet;
    while ((packet = own.arbiter.poll(lane)) != null) {
      discard(packet, reason);
      leave(packet, lane, own.arbiter.polledIngress());
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
