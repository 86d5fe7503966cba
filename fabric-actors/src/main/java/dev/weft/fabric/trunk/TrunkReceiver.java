package dev.weft.fabric.trunk;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.admission.FabricKeys;
import dev.weft.fabric.dispatch.Poller;
import dev.weft.fabric.memory.PeerMemory;
import io.aeron.Image;
import java.util.Arrays;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;

/**
 * Takes the packets of all peers from this JVM's subscriptions and hands each to the switch port whose cable leads to its
 * sender. The upper half of an Aeron image's session id is the number of the peer. An image of a peer without a cable waits;
 * that delays only this peer. Hardware thread, except {@link #onImage} and the counters.
 */
public final class TrunkReceiver implements Poller {
  private static final int NEW_IMAGES_MAX = 4096;
  static final int PEER_MAX = 0x7fff;
  private static final int PEER_SHIFT = 16;

  private final TrunkSettings settings;
  private final int virtualLanes;
  private final ManyToOneConcurrentArrayQueue<Image> newImages = new ManyToOneConcurrentArrayQueue<>(NEW_IMAGES_MAX);
  private final Int2ObjectHashMap<Inbound> inboundByPeer = new Int2ObjectHashMap<>();
  private ImageReader[] readers = {};
  private volatile long refusedImages;
  private volatile long strangeImages;
  private final Rejections rejections = new Rejections();
  private FabricKeys keys;
  private String udpAddress = "";

  /** Returns the session id of the {@code generation}-th publication of JVM {@code peer}, 1 to 32767. */
  static int sessionId(int peer, int generation) {
    return peer << PEER_SHIFT | generation & 0xffff;
  }

  TrunkReceiver(TrunkSettings settings, int virtualLanes) {
    this.settings = settings;
    this.virtualLanes = virtualLanes;
  }

  /** If {@code keys} is not null, makes this reject UDP trunks that do not begin with the code that the keys require. Call it before the first poll. */
  void admitOnly(FabricKeys keys, String udpAddress) {
    this.keys = keys;
    this.udpAddress = udpAddress;
  }

  /** Whether {@code code} is the code that the trunk of {@code image} must begin with. */
  boolean isHello(Image image, byte[] code) {
    return keys != null && keys.isTrunkHello(code, image.sessionId(), udpAddress);
  }

  /** Rejects a trunk that did not begin with its code. Hardware thread. */
  void refuse(Image image) {
    strangeImages++; // Only the hardware thread writes this field.
    String source = image.sourceIdentity();
    rejections.add(() -> image.reject("weft: it did not prove that it belongs to this fabric"),
        "refused a trunk from " + source + " that did not prove that it belongs to this fabric (" + strangeImages + " so far)");
  }

  /** The receiving direction of one cable: the port that gets the packets, and its credits. Hardware thread. */
  public static final class Inbound {
    private final ActorRef<HardwareMessage> port;
    private final int[] credits;
    private final PeerMemory memory;
    private boolean up;
    /** Whether the peer has said that it can read this JVM's memory. */
    boolean peerReads;
    long receivedPackets;
    long receivedBytes;
    long discardedMalformed;
    long discardedLinkDown;
    long waitedForCredit;

    Inbound(ActorRef<HardwareMessage> port, int virtualLanes, PeerMemory memory) {
      this.memory = memory;
      this.port = port;
      this.credits = new int[virtualLanes];
    }

    /** Adds credits: the port has room for more packets. */
    void grant(int lane, int count) {
      if (up && lane >= 0 && lane < credits.length && count > 0) {
        credits[lane] += count;
      }
    }

    /** Sets the state of the link. Earlier credits become void. */
    void linkState(boolean nowUp) {
      Arrays.fill(credits, 0);
      up = nowUp;
    }

    boolean isUp() {
      return up;
    }

    boolean takeCredit(int lane) {
      if (credits[lane] == 0) {
        waitedForCredit++;
        return false;
      }
      credits[lane]--;
      return true;
    }

    ActorRef<HardwareMessage> port() {
      return port;
    }

    /** Returns the peer's memory; null if it cannot be read. */
    PeerMemory memory() {
      return memory;
    }

    int virtualLanes() {
      return credits.length;
    }

    /** Returns the counters. Any thread; they may be slightly out of date. */
    public Counters counters() {
      return new Counters(receivedPackets, receivedBytes, discardedMalformed, discardedLinkDown, waitedForCredit);
    }
  }

  /**
   * Counters of one cable since it was laid.
   *
   * @param discardedMalformed frames without a valid packet, or with a wrong ICRC
   * @param discardedLinkDown packets that came while the link was down
   * @param waitedForCredit polls that found a packet for which the switch port had granted no credit
   */
  public record Counters(
      long receivedPackets, long receivedBytes, long discardedMalformed, long discardedLinkDown, long waitedForCredit) {}

  /** Makes the receiving direction of the cable to {@code peer}, and replaces an earlier one. */
  Inbound attach(int peer, ActorRef<HardwareMessage> port, PeerMemory memory) {
    Inbound inbound = new Inbound(port, virtualLanes, memory);
    inboundByPeer.put(peer, inbound);
    for (ImageReader reader : readers) {
      if (reader.peer() == peer) {
        reader.leadTo(inbound);
      }
    }
    return inbound;
  }

  /** Forgets a peer, unless a newer cable has replaced {@code inbound}. Images that the peer still has wait until Aeron drops them. */
  void detach(int peer, Inbound inbound) {
    if (inboundByPeer.get(peer) != inbound) {
      return;
    }
    inboundByPeer.remove(peer);
    inbound.linkState(false);
    for (ImageReader reader : readers) {
      if (reader.peer() == peer) {
        reader.leadTo(null);
      }
    }
  }

  /** Handles a new image of one of this JVM's subscriptions. Aeron's thread. */
  void onImage(Image image) {
    if (!newImages.offer(image)) {
      refusedImages++; // Only Aeron's thread writes this field.
      String reason = "weft: more than " + NEW_IMAGES_MAX + " new trunks at once";
      rejections.add(() -> image.reject(reason), "refused a trunk: more than " + NEW_IMAGES_MAX + " came at once (" + refusedImages + " so far)");
    }
  }

  @Override
  public int poll() {
    if (!newImages.isEmpty()) {
      admit();
    }
    int work = 0;
    for (ImageReader reader : readers) {
      work += reader.poll(settings.pollBatch());
      if (reader.isDone()) {
        remove(reader);
      }
    }
    return work;
  }

  @Override
  public boolean isRung() {
    for (ImageReader reader : readers) {
      if (!reader.isRung()) {
        return false;
      }
    }
    return true;
  }

  private void admit() {
    Image image;
    while ((image = newImages.poll()) != null) {
      int peer = image.sessionId() >>> PEER_SHIFT;
      ImageReader reader = new ImageReader(image, peer, settings.receiveWindowPackets(), this, keys == null);
      reader.leadTo(inboundByPeer.get(peer));
      readers = Arrays.copyOf(readers, readers.length + 1);
      readers[readers.length - 1] = reader;
    }
  }

  private void remove(ImageReader done) {
    readers = Arrays.stream(readers).filter(reader -> reader != done).toArray(ImageReader[]::new);
  }

  int virtualLanes() {
    return virtualLanes;
  }

  /**
   * Numbers of trunks that were rejected since this JVM started.
   *
   * @param unproved trunks that did not prove that they belong to the fabric
   * @param tooMany trunks that were too many at once
   * @param notEnded of both, the trunks that Aeron could not be asked to end; nothing reads them either
   */
  public record Refusals(long unproved, long tooMany, long notEnded) {}

  /** Returns the counts of rejected trunks. Any thread; they may be slightly out of date. */
  public Refusals refusals() {
    return new Refusals(strangeImages, refusedImages, rejections.lost());
  }

  /** Returns how many images were rejected because they did not prove that they belong to the fabric. Any thread. */
  public long strangeImages() {
    return strangeImages;
  }

  /** Returns how many images were rejected because too many came at once. Any thread. */
  public long refusedImages() {
    return refusedImages;
  }
}
