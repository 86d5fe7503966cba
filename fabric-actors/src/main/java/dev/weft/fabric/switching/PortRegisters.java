package dev.weft.fabric.switching;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.UnknownMessages;
import java.util.ArrayList;
import java.util.List;

/**
 * State of one port, except its cable. The port's actor writes it; the switch reads it for inspection. Other ports change only {@link
 * #input}, through {@link SwitchMemory#left}. All on one thread.
 */
final class PortRegisters {
  private static final DiscardReason[] REASONS = DiscardReason.values();

  final int number;
  final String name;
  final InputBuffer input;
  final CreditCounter credits;
  final EgressArbiter arbiter;
  final HeadOfQueueMonitor monitor;
  /** The monitor of lossless packets, with a longer lifetime. */
  final HeadOfQueueMonitor lossless;
  /** Whether a switch is at the far end. Multicast packets from there do not go to other switches, because these get them directly. */
  final boolean trunk;
  private final int virtualLanes;
  private final long[] discards = new long[REASONS.length];
  /** The port actor; set once, after it was spawned. */
  ActorRef<HardwareMessage> ref;
  /** False once the port is detached: no more packets are forwarded to it. */
  boolean attached = true;
  int lid;
  boolean up;
  long packetsIn;
  long bytesIn;
  long packetsOut;
  long bytesOut;
  long controlErrors;
  final UnknownMessages unknownMessages = new UnknownMessages();
  long burstsSplit;
  long burstsCoalesced;

  PortRegisters(int number, String name, int lid, boolean trunk, SwitchSettings settings) {
    this.trunk = trunk;
    this.number = number;
    this.name = name;
    this.lid = lid;
    this.virtualLanes = settings.virtualLanes();
    this.input = new InputBuffer(virtualLanes, settings.inputBufferPackets());
    this.credits = new CreditCounter(virtualLanes);
    this.arbiter = new EgressArbiter(virtualLanes, settings.portsMax(), settings.inputBufferPackets());
    this.monitor = new HeadOfQueueMonitor(virtualLanes, settings.hoqLifetimeNs());
    this.lossless = new HeadOfQueueMonitor(virtualLanes, settings.losslessLifetimeNs());
  }

  void countDiscard(DiscardReason reason) {
    discards[reason.ordinal()]++;
  }

  PortSnapshot snapshot() {
    List<PortSnapshot.Lane> lanes = new ArrayList<>(virtualLanes);
    for (int lane = 0; lane < virtualLanes; lane++) {
      lanes.add(new PortSnapshot.Lane(
          arbiter.depth(lane),
          arbiter.depthHighWater(lane),
          credits.held(lane),
          input.occupied(lane),
          input.occupiedHighWater(lane),
          up ? input.farEndHolds(lane) : 0,
          monitor.isStalled(lane)));
    }
    PortSnapshot.Discards discarded = new PortSnapshot.Discards(
        discards[DiscardReason.NO_ROUTE.ordinal()],
        discards[DiscardReason.LINK_DOWN.ordinal()],
        discards[DiscardReason.CREDIT_VIOLATION.ordinal()],
        discards[DiscardReason.HEAD_OF_QUEUE_LIFETIME.ordinal()]);
    return new PortSnapshot(number, name, lid, up, packetsIn, bytesIn, packetsOut, bytesOut, discarded, controlErrors,
        unknownMessages.count(), List.copyOf(lanes));
  }
}
