package dev.weft.fabric.trunk;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.dispatch.Bell;
import dev.weft.fabric.dispatch.Poller;
import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.packet.PayloadLostException;
import dev.weft.fabric.time.Clock;
import io.aeron.ExclusivePublication;
import io.aeron.Publication;
import io.aeron.logbuffer.BufferClaim;
import java.util.Arrays;

/**
 * The far end of a switch port's cable that leads to another JVM. Packets go into an Aeron publication at once, or into a
 * bounded queue while Aeron takes none; credits go to the receiver, which holds the other direction of the cable.
 *
 * <p>Flow control: while the link is up the port holds at most {@code queuePackets} credits for each virtual lane, so the
 * queue cannot overrun; a port that sends without a credit has its packet discarded and counted. When nothing has left for longer than
 * {@code undeliverableAfter}, what is queued is discarded, but for packets that are not to be lost ({@link Packet#isLossless}): these wait
 * as long as the peer is connected, and at most {@code losslessUndeliverableAfter}. Hardware thread only, except {@link #counters()}.
 */
public final class TrunkCable implements Cable, Poller {
  private final ActorRef<HardwareMessage> port;
  private final TrunkReceiver.Inbound inbound;
  private final ExclusivePublication publication;
  private final Bell bell;
  private final byte[] hello;
  private final TrunkSettings settings;
  private final Clock clock;
  private final boolean withIcrc;
  /** Payload in bytes from which the peer is told where it is instead. */
  private final int referFrom;
  /** The same of memory that the peer cannot map. */
  private final int referUnsharedFrom;
  private final int frameLengthMax;
  private final CopyCounter copies;
  private final PacketCodec codec;
  private final BufferClaim claim = new BufferClaim();

  private final Packet[] queue;
  private final int queueMask;
  private final int[] laneCredits;
  private final HeldPackets held;
  private final int[] unreturned;
  private final int creditBatch;
  private int head;
  private int count;
  private long blockedSinceNs;
  private boolean up;
  private boolean peerConnected;
  private boolean unplugged;

  private long sentPackets;
  private long sentBytes;
  private long referredPackets;
  private long backPressured;
  private long discardedUndeliverable;
  private long discardedLinkDown;
  private long discardedInvalid;
  private long discardedWithoutCredit;

  /**
   * Counters since the cable was laid; plain reads, so a moment old from other threads.
   *
   * @param sentBytes bytes of the frames, with payloads that the peer fetches itself
   * @param referredPackets packets whose payload the peer fetches itself
   * @param bytesCopied bytes of payload that were copied into Aeron's buffers
   * @param backPressured times that Aeron took no packet
   * @param discardedUndeliverable packets that waited too long or met a closed publication
   * @param discardedLinkDown packets that came or were queued when the link went down
   * @param discardedInvalid packets longer than the path MTU, or that cannot be encoded
   * @param discardedWithoutCredit packets for which the port held no credit
   */
  public record Counters(
      long sentPackets,
      long sentBytes,
      long referredPackets,
      long bytesCopied,
      long backPressured,
      long discardedUndeliverable,
      long discardedLinkDown,
      long discardedInvalid,
      long discardedWithoutCredit,
      int queued) {}

  /**
   * @param port the switch port at this end
   * @param inbound the other direction, {@link TrunkReceiver#attach}
   * @param bell wakes the peer's hardware thread; null if the peer has none
   * @param virtualLanes lanes of the switch port
   * @param overUdp whether the packets leave shared memory, which decides about the ICRC
   * @param hello what the peer wants to read first; null for nothing
   * @param held keeps packets that the peer reads out of this JVM's memory; empty
   * @param allCopies takes what all trunks of the JVM copy
   */
  TrunkCable(
      ActorRef<HardwareMessage> port,
      TrunkReceiver.Inbound inbound,
      ExclusivePublication publication,
      Bell bell,
      TrunkSettings settings,
      Clock clock,
      int virtualLanes,
      boolean overUdp,
      byte[] hello,
      CopyCounter allCopies,
      HeldPackets held) {
    copies = new CopyCounter(allCopies);
    codec = new PacketCodec(copies);
    this.held = held;
    this.port = port;
    this.inbound = inbound;
    this.publication = publication;
    this.bell = bell;
    this.hello = hello;
    this.settings = settings;
    this.clock = clock;
    this.withIcrc = settings.icrc() == TrunkSettings.Icrc.ON || settings.icrc() == TrunkSettings.Icrc.AUTO && overUdp;
    this.referFrom = settings.oneCopyFromBytes() == 0 || withIcrc || overUdp ? Integer.MAX_VALUE : settings.oneCopyFromBytes();
    this.referUnsharedFrom = settings.oneCopyUnsharedFromBytes() == 0 ? Integer.MAX_VALUE : settings.oneCopyUnsharedFromBytes();
    this.frameLengthMax = publication.maxPayloadLength();
    int capacity = Integer.highestOneBit(2 * settings.queuePackets() * virtualLanes - 1);
    this.queue = new Packet[capacity];
    this.queueMask = capacity - 1;
    this.laneCredits = new int[virtualLanes];
    this.unreturned = new int[virtualLanes];
    this.creditBatch = Math.max(1, settings.queuePackets() / 2);
  }

  TrunkReceiver.Inbound inbound() {
    return inbound;
  }

  /** Counters of the receiving direction. Any thread. */
  public TrunkReceiver.Counters receiveCounters() {
    return inbound.counters();
  }

  /** Longest payload in bytes that passes, whatever the opcode. Any thread. */
  public int maxPayloadBytes() {
    return TrunkFrame.maxPacketPayload(frameLengthMax);
  }

  @Override
  public void transmit(CableMessage message) {
    switch (message) {
      case Packet packet -> send(packet);
      case Credits credits -> inbound.grant(credits.virtualLane(), credits.count());
      case LinkState state -> setUp(state.up());
      default -> throw new IllegalArgumentException("a trunk does not carry " + message.getClass().getName());
    }
  }

  /** The port's side of the link has changed; credits of the time before are void. */
  private void setUp(boolean nowUp) {
    discardQueue(false);
    Arrays.fill(unreturned, 0);
    Arrays.fill(laneCredits, 0);
    up = nowUp;
    inbound.linkState(nowUp);
    if (nowUp) {
      for (int lane = 0; lane < laneCredits.length; lane++) {
        laneCredits[lane] = settings.queuePackets();
        port.tell(new Credits(lane, settings.queuePackets()));
      }
    }
  }

  private void send(Packet packet) {
    int lane = VirtualLane.of(packet.serviceLevel(), laneCredits.length);
    if (!up) {
      discardedLinkDown++;
      packet.release();
    } else if (laneCredits[lane] == 0) {
      discardedWithoutCredit++;
      packet.release();
    } else {
      laneCredits[lane]--;
      if (count > 0 || !trySend(packet)) {
        enqueue(packet);
      } else {
        returnCredit(lane);
      }
    }
  }

  private void enqueue(Packet packet) {
    if (count == 0) {
      blockedSinceNs = clock.nowNs();
    }
    queue[(head + count) & queueMask] = packet;
    count++;
  }

  /** Tells the port when the peer is connected, and tries what is queued again. */
  @Override
  public int poll() {
    int released = held.releaseRead();
    if (!peerConnected) {
      return released + announceWhenConnected();
    }
    return count == 0 ? released : released + drain();
  }

  @Override
  public boolean isRung() {
    return peerConnected && count == 0 && held.isEmpty();
  }

  private int announceWhenConnected() {
    if (unplugged || !publication.isConnected() || hello != null && !sayHello() || inbound.memory() != null && !sayThatItIsRead()) {
      return 0;
    }
    peerConnected = true;
    port.tell(new LinkState(true, 0));
    return 1;
  }

  /** Before each first packet: the peer may have lost what it knew of this trunk. */
  private boolean sayHello() {
    if (publication.tryClaim(TrunkFrame.HELLO_LENGTH, claim) <= 0) {
      return false;
    }
    TrunkFrame.putHello(claim.buffer(), claim.offset(), hello);
    claim.commit();
    return true;
  }

  private boolean sayThatItIsRead() {
    if (publication.tryClaim(TrunkFrame.HEADER_LENGTH, claim) <= 0) {
      return false;
    }
    TrunkFrame.putReadsMemory(claim.buffer(), claim.offset());
    claim.commit();
    ring();
    return true;
  }

  private int drain() {
    int done = 0;
    while (count > 0 && done < settings.pollBatch() && trySend(queue[head])) {
      returnCredit(VirtualLane.of(dequeue().serviceLevel(), laneCredits.length));
      done++;
    }
    if (done > 0) {
      blockedSinceNs = clock.nowNs();
    } else if (clock.nowNs() - blockedSinceNs >= settings.undeliverableAfterNs()) {
      giveUp();
    }
    return done;
  }

  /** The peer does not read, or is not there any more. */
  private void giveUp() {
    if (!publication.isConnected()) {
      discardQueue(true);
      setUp(false);
      peerConnected = false;
      port.tell(new LinkState(false, 0));
    } else if (clock.nowNs() - blockedSinceNs >= settings.losslessUndeliverableAfterNs()) {
      discardQueue(true);
    } else {
      discardLossy();
    }
  }

  private void discardLossy() {
    for (int left = count; left > 0; left--) {
      Packet packet = dequeue();
      if (packet.isLossless()) {
        queue[(head + count) & queueMask] = packet;
        count++;
      } else {
        discardUndeliverable(packet);
      }
    }
  }

  private Packet dequeue() {
    Packet packet = queue[head];
    queue[head] = null;
    head = (head + 1) & queueMask;
    count--;
    return packet;
  }

  private void discardQueue(boolean undeliverable) {
    while (count > 0) {
      Packet packet = dequeue();
      if (undeliverable) {
        discardUndeliverable(packet);
      } else {
        discardedLinkDown++;
        packet.release();
        returnCredit(VirtualLane.of(packet.serviceLevel(), laneCredits.length));
      }
    }
  }

  private void discardUndeliverable(Packet packet) {
    discardedUndeliverable++;
    packet.release();
    returnCredit(VirtualLane.of(packet.serviceLevel(), laneCredits.length));
  }

  /** Held are all credits that the port has; it gets those of packets that left in batches of half of them. */
  private void returnCredit(int lane) {
    if (up && ++unreturned[lane] >= creditBatch) {
      int credits = unreturned[lane];
      unreturned[lane] = 0;
      laneCredits[lane] += credits;
      port.tell(new Credits(lane, credits));
    }
  }

  /** True if the packet was dealt with: written, or found to be impossible and discarded. */
  private boolean trySend(Packet packet) {
    if (isTakenBack(packet.payload())) {
      discardedInvalid++;
      packet.release();
      return true;
    }
    int length = TrunkFrame.HEADER_LENGTH + codec.encodedLength(packet);
    if (length > frameLengthMax) {
      discardedInvalid++;
      packet.release();
      return true;
    }
    int reference = referenceLength(packet);
    Packet bare = reference > 0 ? packet.with(Payload.EMPTY) : packet;
    long position = publication.tryClaim(TrunkFrame.HEADER_LENGTH + reference + codec.encodedLength(bare), claim);
    if (position > 0) {
      write(packet, bare, reference, length, position);
      return true;
    }
    if (position == Publication.CLOSED || position == Publication.MAX_POSITION_EXCEEDED) {
      discardedUndeliverable++;
      packet.release();
      return true;
    }
    backPressured++;
    return false;
  }

  /** Whether the request that the packet belongs to has failed meanwhile, or its memory was taken back: it may be something else now. */
  private static boolean isTakenBack(Payload payload) {
    return payload.lease() != null && payload.lease().epoch() != payload.epoch() || !payload.isReadable();
  }

  /** Bytes that say where the payload is; 0 if the payload itself is to travel. */
  private int referenceLength(Packet packet) {
    Payload payload = packet.payload();
    if (payload.length() < referFrom || !inbound.peerReads) {
      return 0;
    }
    int length = TrunkReference.lengthFor(packet);
    boolean mayRefer = length > 0 && (payload.length() >= referUnsharedFrom || TrunkReference.isShared(payload))
        && (!payload.hasOwner() || held.hasRoom(payload.length()));
    return mayRefer ? length : 0;
  }

  /** {@code bare} is the packet as it is written behind {@code reference} bytes that say where its payload is, or all of it. */
  private void write(Packet packet, Packet bare, int reference, int length, long endPosition) {
    try {
      int flags = reference > 0 ? TrunkFrame.FLAG_REFERENCE : withIcrc ? TrunkFrame.FLAG_ICRC : 0;
      int at = claim.offset() + TrunkFrame.HEADER_LENGTH;
      TrunkFrame.putHeader(claim.buffer(), claim.offset(), packet.srcLid(), packet.dstLid(), packet.serviceLevel(), flags);
      if (reference > 0) {
        TrunkReference.put(claim.buffer(), at, packet.payload());
        referredPackets++;
      }
      codec.encode(bare, claim.buffer(), at + reference, withIcrc);
      claim.commit();
      ring();
      sentPackets++;
      sentBytes += length;
      if (reference > 0 && packet.payload().hasOwner()) {
        held.hold(packet, endPosition);
        return;
      }
    } catch (IllegalArgumentException | IllegalStateException | PayloadLostException | IndexOutOfBoundsException e) {
      // A field that does not fit, or a payload whose owner has freed it meanwhile.
      claim.abort();
      discardedInvalid++;
    }
    packet.release();
  }

  private void ring() {
    if (bell != null) {
      bell.ring();
    }
  }

  /** Whether packets pass: the peer is connected and the port has its credits. Any thread, a moment old. */
  public boolean isUp() {
    return up;
  }

  /** Ends the cable: what is queued is discarded, what still comes is too. The publication stays its owner's to close. */
  void unplug() {
    unplugged = true;
    peerConnected = false;
    held.releaseAll();
    setUp(false);
  }

  /** Any thread. */
  public Counters counters() {
    return new Counters(sentPackets, sentBytes, referredPackets, copies.bytes(), backPressured, discardedUndeliverable, discardedLinkDown,
        discardedInvalid, discardedWithoutCredit, count);
  }
}
