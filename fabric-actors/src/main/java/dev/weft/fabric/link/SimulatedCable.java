package dev.weft.fabric.link;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.PacketFormatException;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.FabricContext;
import java.util.random.RandomGenerator;
import org.agrona.concurrent.UnsafeBuffer;

/** One direction of a {@link SimulatedLink}, which explains the accounting. */
final class SimulatedCable implements Cable {
  private static final int FLIPPED_BITS_MAX = 8;

  private final FabricContext fabric;
  private final LinkProfile profile;
  private final int virtualLanes;
  private final RandomGenerator random;
  private final PacketCodec codec = new PacketCodec();
  /** Reserve for duplicates that travel in this direction. */
  private final DuplicateReserve reserve;
  /** Reserve of the other direction, whose credits travel in this one. */
  private final DuplicateReserve oppositeReserve;
  private ActorRef<HardwareMessage> nearEnd;
  private ActorRef<HardwareMessage> farEnd;
  private LinkFaults faults;
  private double multicastLoss;
  private boolean cut;
  private long extraDelayNs;
  private LinkObserver observer;
  private boolean observedAsA;
  private long busyUntilNs;
  private boolean everBusy;
  private long transmitted;
  private long delivered;
  private long lost;
  private long duplicated;
  private long reordered;
  private long corruptionsRejected;
  private long corruptionsAccepted;
  private long partitioned;

  SimulatedCable(
      FabricContext fabric,
      LinkProfile profile,
      LinkFaults faults,
      int virtualLanes,
      RandomGenerator random,
      DuplicateReserve reserve,
      DuplicateReserve oppositeReserve) {
    this.fabric = fabric;
    this.profile = profile;
    this.faults = faults;
    this.virtualLanes = virtualLanes;
    this.random = random;
    this.reserve = reserve;
    this.oppositeReserve = oppositeReserve;
  }

  void connect(ActorRef<HardwareMessage> near, ActorRef<HardwareMessage> far) {
    nearEnd = near;
    farEnd = far;
  }

  void setMulticastLoss(double probability) {
    multicastLoss = probability;
  }

  void setFaults(LinkFaults faults) {
    this.faults = faults;
  }

  void setCut(boolean cut) {
    this.cut = cut;
  }

  /** Delays all packets from now on by {@code ns}; they keep their order. */
  void setExtraDelay(long ns) {
    extraDelayNs = ns;
  }

  void observe(LinkObserver newObserver, boolean asA) {
    observer = newObserver;
    observedAsA = asA;
  }

  LinkCounts counts() {
    return new LinkCounts(transmitted, delivered, lost, duplicated, reordered, corruptionsRejected, corruptionsAccepted,
        partitioned);
  }

  @Override
  public void transmit(CableMessage message) {
    if (farEnd == null) {
      throw new IllegalStateException("the cable is not connected: call SimulatedLink.connect with both ends first");
    }
    switch (message) {
      case Packet packet -> transmitPacket(packet);
      case CableMessage.Credits credits -> transmitCredits(credits);
      case CableMessage.LinkState state -> transmitLinkState(state);
      default -> deliver(fabric.clock().nowNs() + profile.latencyNs(), message);
    }
  }

  private void transmitCredits(CableMessage.Credits credits) {
    int lane = credits.virtualLane();
    int count = oppositeReserve.pass(lane, credits.count(), faults.duplication() > 0);
    if (count == credits.count()) {
      deliver(fabric.clock().nowNs() + profile.latencyNs(), credits);
    } else if (count > 0) {
      deliver(fabric.clock().nowNs() + profile.latencyNs(), new CableMessage.Credits(lane, count));
    }
  }

  private void transmitLinkState(CableMessage.LinkState state) {
    if (!state.up()) {
      reserve.reset();
      oppositeReserve.reset();
    }
    deliver(fabric.clock().nowNs() + profile.latencyNs(), state);
  }

  private void transmitPacket(Packet packet) {
    transmitted++;
    long arrivalNs = occupyWire(packet.wireLength()) + profile.arrivalNs(packet.wireLength()) + extraDelayNs;
    if (cut) {
      partitioned++;
      drop(packet, arrivalNs, LinkObserver.Fate.CUT);
      return;
    }
    if (happens(faults.loss()) || packet.isMulticast() && happens(multicastLoss)) {
      lost++;
      drop(packet, arrivalNs, LinkObserver.Fate.LOST);
      return;
    }
    if (happens(faults.corruption())) {
      Packet survivor = corrupt(packet);
      if (survivor == null) {
        corruptionsRejected++;
        drop(packet, arrivalNs, LinkObserver.Fate.CORRUPTED);
      } else {
        corruptionsAccepted++;
        deliverPacket(arrivalNs, survivor, LinkObserver.Fate.ALTERED);
      }
      return;
    }
    LinkObserver.Fate fate = LinkObserver.Fate.DELIVERED;
    if (happens(faults.reordering())) {
      reordered++;
      arrivalNs += 1 + random.nextLong(faults.reorderDelayMaxNs());
      fate = LinkObserver.Fate.DELAYED;
    }
    if (happens(faults.duplication()) && reserve.take(VirtualLane.of(packet.serviceLevel(), virtualLanes))) {
      duplicated++;
      long delayNs = faults.reorderDelayMaxNs() == 0 ? 0 : random.nextLong(faults.reorderDelayMaxNs());
      Packet shared = packet.with(packet.payload().sharedBy(2));
      deliverPacket(arrivalNs, shared, fate);
      deliverPacket(arrivalNs + delayNs, shared, LinkObserver.Fate.DUPLICATE);
    } else {
      deliverPacket(arrivalNs, packet, fate);
    }
  }

  @Override
  public long freeAtNs() {
    return everBusy ? busyUntilNs : fabric.clock().nowNs();
  }

  /** Sends after the packets that are being sent. Returns the time at which the last bit leaves. */
  private long occupyWire(int lengthBytes) {
    long nowNs = fabric.clock().nowNs();
    long startNs = everBusy && busyUntilNs - nowNs > 0 ? busyUntilNs : nowNs;
    everBusy = true;
    busyUntilNs = startNs + profile.serialisationNs(lengthBytes);
    return busyUntilNs;
  }

  /** Drops a packet. Its buffer at the far end stays free, so the transmitter gets the credit back. */
  private void drop(Packet packet, long arrivalNs, LinkObserver.Fate fate) {
    report(packet, fate, arrivalNs);
    packet.release();
    int lane = VirtualLane.of(packet.serviceLevel(), virtualLanes);
    fabric.timers().at(arrivalNs + profile.latencyNs(), nearEnd, new CableMessage.Credits(lane, 1));
  }

  private void deliverPacket(long atNs, Packet packet, LinkObserver.Fate fate) {
    delivered++;
    report(packet, fate, atNs);
    deliver(atNs, packet);
  }

  private void report(Packet packet, LinkObserver.Fate fate, long arrivalNs) {
    if (observer != null) {
      observer.onPacket(observedAsA, packet, fate, arrivalNs);
    }
  }

  private void deliver(long atNs, CableMessage message) {
    fabric.timers().at(atNs, farEnd, message);
  }

  /** Draws a random number only if the probability is not zero. So switching off one kind of fault does not change the numbers for the others. */
  private boolean happens(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** Flips bits of the wire form. Returns the packet that a receiver would decode from it, or null if the receiver would reject it. */
  private Packet corrupt(Packet packet) {
    UnsafeBuffer wire = new UnsafeBuffer(new byte[codec.encodedLength(packet)]);
    int length;
    try {
      length = codec.encode(packet, wire, 0, true);
    } catch (IllegalStateException | PayloadLostException freed) {
      return null; // The owner took the bytes back meanwhile, so they cannot arrive in any form.
    }
    int flips = 1 + random.nextInt(FLIPPED_BITS_MAX);
    for (int i = 0; i < flips; i++) {
      int bit = random.nextInt(length * Byte.SIZE);
      wire.putByte(bit >> 3, (byte) (wire.getByte(bit >> 3) ^ (1 << (bit & 7))));
    }
    try {
      return codec.decode(
          wire, 0, length, packet.srcLid(), packet.dstLid(), packet.serviceLevel(), true, packet::release);
    } catch (PacketFormatException e) {
      return null;
    }
  }
}
