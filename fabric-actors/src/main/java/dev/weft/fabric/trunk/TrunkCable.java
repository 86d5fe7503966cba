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
 * The far end of a switch port's cable to another JVM. It writes packets into an Aeron publication immediately, or into a bounded queue
 * while Aeron accepts none. It passes credits to the receiver, which holds the other direction of the cable.
 *
 * <p>Flow control: while the link is up, the port holds at most {@code queuePackets} credits for each virtual lane, so the queue cannot
 * overrun. If a port sends without a credit, the cable discards and counts the packet. If no packet has left for longer than {@code
 * undeliverableAfter}, the cable discards the queued packets, except those that must not be lost ({@link Packet#isLossless}). These wait as
 * long as the peer is connected, and at most {@code losslessUndeliverableAfter}. Hardware thread, except where a method says otherwise.
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
  /** Payload in bytes from which a packet refers to the payload, so that the peer reads it in place. */
  private final int referFrom;
  /** The same for memory that the peer cannot map. */
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
   * Counters since the cable was laid. Other threads may read slightly old values.
   *
   * @param sentBytes bytes of the frames, including payloads that the peer fetches itself
   * @param referredPackets packets whose payload the peer fetches itself
   * @param bytesCopied bytes of payload that were copied into Aeron's buffers
   * @param backPressured how often Aeron did not accept a packet
   * @param discardedUndeliverable packets that waited too long, or whose publication was closed
   * @param discardedLinkDown packets that came while the link was down, or were queued when it went down
   * @param discardedInvalid packets longer than the path MTU, that cannot be encoded, or whose payload was taken back
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
   * @param overUdp whether the packets leave shared memory; for icrc = auto, they then carry an ICRC
   * @param hello the code that the peer must read first; null for none
   * @param held holds the packets that the peer reads from this JVM's memory; initially empty
   * @param allCopies counts the copies of all trunks of the JVM
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

  /** Returns the counters of the receiving direction. Any thread. */
  public TrunkReceiver.Counters receiveCounters() {
    return inbound.counters();
  }

  /** Returns the largest payload in bytes that passes with any opcode. Any thread. */
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

  /** Handles a change of the port's side of the link. Earlier credits become void. */
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

  /** Tells the port when the peer is connected, and tries to send queued packets again. */
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

  /** Sends the hello after each connect, before the first packet: the peer may have forgotten this trunk. */
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

  /** Handles a peer that does not read, or is gone. */
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

  /** Returns the credit of a packet that has left. The port gets credits back in batches of half its credits. */
  private void returnCredit(int lane) {
    if (up && ++unreturned[lane] >= creditBatch) {
      int credits = unreturned[lane];
      unreturned[lane] = 0;
      laneCredits[lane] += credits;
      port.tell(new Credits(lane, credits));
    }
  }

  /** Returns true if the packet is done: written, or discarded because it can never be sent. Returns false if Aeron accepts none now. */
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

  /** Whether the packet's request has failed meanwhile, or the memory was taken back. The memory may then have other content. */
  private static boolean isTakenBack(Payload payload) {
    return payload.lease() != null && payload.lease().epoch() != payload.epoch() || !payload.isReadable();
  }

  /** Returns the bytes of a reference to the payload; 0 if the payload itself must be sent. */
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

  /** Writes a packet. {@code bare} is the packet without payload after {@code reference} bytes of reference, or the whole packet if that is 0. */
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
      // A field does not fit, or the owner of the payload has freed it meanwhile.
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

  /** Whether packets pass: the peer is connected and the port has its credits. Any thread; may be slightly out of date. */
  public boolean isUp() {
    return up;
  }

  /** Ends the cable: discards queued packets and all that still come. The owner of the publication must close it. */
  void unplug() {
    unplugged = true;
    peerConnected = false;
    held.releaseAll();
    setUp(false);
  }

  /** Returns the counters of the sending direction. Any thread. */
  public Counters counters() {
    return new Counters(sentPackets, sentBytes, referredPackets, copies.bytes(), backPressured, discardedUndeliverable, discardedLinkDown,
        discardedInvalid, discardedWithoutCredit, count);
  }
}
