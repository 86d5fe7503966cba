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
 * Takes the packets of all peers out of this JVM's subscriptions and hands each to the switch port whose cable leads to its
 * sender. Which peer an Aeron image comes from is the upper half of its session id. An image of a peer without a cable
 * waits, which holds back that peer only. Hardware thread, except {@link #onImage}.
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

  /** Session id of the {@code generation}-th publication of JVM {@code peer}, 1 to 32767. */
  static int sessionId(int peer, int generation) {
    return peer << PEER_SHIFT | generation & 0xffff;
  }

  TrunkReceiver(TrunkSettings settings, int virtualLanes) {
    this.settings = settings;
    this.virtualLanes = virtualLanes;
  }

  /** Refuses UDP trunks that do not begin as {@code keys} want it, if not null; before the first look. */
  void admitOnly(FabricKeys keys, String udpAddress) {
    this.keys = keys;
    this.udpAddress = udpAddress;
  }

  /** Whether {@code code} is what the trunk of {@code image} has to begin with. */
  boolean isHello(Image image, byte[] code) {
    return keys != null && keys.isTrunkHello(code, image.sessionId(), udpAddress);
  }

  /** A trunk did not begin with its code. Hardware thread. */
  void refuse(Image image) {
    strangeImages++; // Only the hardware thread writes it.
    String source = image.sourceIdentity();
    rejections.add(() -> image.reject("weft: it did not prove that it belongs to this fabric"),
        "refused a trunk from " + source + " that did not prove that it belongs to this fabric (" + strangeImages + " so far)");
  }

  /** The receiving direction of one cable: where packets go and how many are wanted. Hardware thread. */
  public static final class Inbound {
    private final ActorRef<HardwareMessage> port;
    private final int[] credits;
    private final PeerMemory memory;
    private boolean up;
    /** Whether the peer can read this JVM's memory; it has said so. */
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

    /** The port has room for more packets. */
    void grant(int lane, int count) {
      if (up && lane >= 0 && lane < credits.length && count > 0) {
        credits[lane] += count;
      }
    }

    /** Credits of the time before are void. */
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

    /** The peer's memory; null if it cannot be read. */
    PeerMemory memory() {
      return memory;
    }

    int virtualLanes() {
      return credits.length;
    }

    /** Any thread; a moment old. */
    public Counters counters() {
      return new Counters(receivedPackets, receivedBytes, discardedMalformed, discardedLinkDown, waitedForCredit);
    }
  }

  /**
   * Counters of one cable since it was laid.
   *
   * @param discardedMalformed frames that hold no packet, or one with a wrong ICRC
   * @param discardedLinkDown packets that came while the link was down
   * @param waitedForCredit looks that found a packet for which the switch port had granted no credit
   */
  public record Counters(
      long receivedPackets, long receivedBytes, long discardedMalformed, long discardedLinkDown, long waitedForCredit) {}

  /** Lays the receiving direction of the cable to {@code peer}; replaces an earlier one. */
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

  /** Forgets a peer, unless a newer cable has taken its place; images that it still has wait until Aeron drops them. */
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

  /** Aeron has a new image for one of this JVM's subscriptions. Aeron's thread. */
  void onImage(Image image) {
    if (!newImages.offer(image)) {
      refusedImages++; // Only Aeron's one thread writes it.
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
   * Trunks refused since this JVM started.
   *
   * @param unproved they did not prove that they belong to the fabric
   * @param tooMany too many came at once
   * @param notEnded of both, those that Aeron could not be asked to end; they are not read either
   */
  public record Refusals(long unproved, long tooMany, long notEnded) {}

  /** Any thread; a moment old. */
  public Refusals refusals() {
    return new Refusals(strangeImages, refusedImages, rejections.lost());
  }

  /** Images refused because they did not prove that they belong to the fabric. Any thread. */
  public long strangeImages() {
    return strangeImages;
  }

  /** Images refused because too many came at once. Any thread. */
  public long refusedImages() {
    return refusedImages;
  }
}
