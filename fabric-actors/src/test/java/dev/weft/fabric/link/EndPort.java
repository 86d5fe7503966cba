package dev.weft.fabric.link;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import dev.weft.fabric.time.FabricContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The far end of a cable in tests, with the link-level duties of an HCA and nothing more: grants credits when the link comes
 * up, spends one for each packet, consumes packets at a fixed pace, returns credits in batches of half its buffers. Its
 * fields are read and its methods called by the test between two runs of the virtual system.
 */
public final class EndPort {
  private record Consume() implements HardwareMessage {}

  /** Releases of one original packet's payload, and what became of it. */
  public static final class Fate {
    public int released;
  }

  public final int lid;
  public final List<Packet> received = new ArrayList<>();
  public final List<Fate> fates = new ArrayList<>();
  public final int[] credits;
  public final int[] occupied;
  public final int[] unreturned;
  public final int[] occupiedHighWater;
  public boolean up;
  public int assignedLid;
  public int linkUps;
  public int linkDowns;
  public long overruns;
  public long transmitted;
  /** Takes packets in, but neither consumes them nor returns credits. */
  public boolean paused;
  private final FabricContext fabric;
  private final int capacity;
  private final long consumeNs;
  private final List<Deque<Packet>> waiting = new ArrayList<>();
  private final Deque<Packet> inbox = new ArrayDeque<>();
  private final Map<Integer, Integer> nextPsn = new HashMap<>();
  private ActorRef<HardwareMessage> self;
  private Cable cable;
  private boolean consuming;

  public EndPort(FabricContext fabric, int lid, int virtualLanes, int capacity, long consumeNs) {
    this.fabric = fabric;
    this.lid = lid;
    this.capacity = capacity;
    this.consumeNs = consumeNs;
    this.credits = new int[virtualLanes];
    this.occupied = new int[virtualLanes];
    this.unreturned = new int[virtualLanes];
    this.occupiedHighWater = new int[virtualLanes];
    for (int lane = 0; lane < virtualLanes; lane++) {
      waiting.add(new ArrayDeque<>());
    }
  }

  public Behavior<HardwareMessage> behavior() {
    return Behaviors.setup(
        actor -> {
          self = actor.getSelf();
          return Behaviors.receiveMessage(
              message -> {
                onMessage(message);
                return Behaviors.same();
              });
        });
  }

  public void connect(Cable cable) {
    this.cable = cable;
  }

  /** Brings the link up from this side, for cables without a switch. */
  public void announce() {
    cable.transmit(new CableMessage.LinkState(true, 0));
  }

  /** Sends now, or when a credit comes. PSNs count from 0 for each (destination, lane). */
  public void submit(int dstLid, int serviceLevel, int payloadLength) {
    int lane = VirtualLane.of(serviceLevel, credits.length);
    int psn = nextPsn.merge(dstLid * 16 + lane, 1, Integer::sum) - 1;
    Fate fate = new Fate();
    fates.add(fate);
    Payload payload =
        Payload.of(MemorySegment.ofArray(new byte[payloadLength]), 0, payloadLength, () -> fate.released++);
    waiting.get(lane).add(new Packet(Opcode.RC_SEND_ONLY, lid, dstLid, serviceLevel, false, false, Packet.DEFAULT_PKEY,
        fates.size() & 0xffffff, psn, 0, 0, 0, 0, 0, 0, 0, 0, payload));
    pump(lane);
  }

  /** Transmits without looking at credits. */
  public void transmitRaw(CableMessage message) {
    cable.transmit(message);
  }

  /** Goes on consuming after {@link #paused}. */
  public void resume() {
    paused = false;
    consumeSoon();
  }

  public int capacity() {
    return capacity;
  }

  public int waitingCount() {
    return waiting.stream().mapToInt(Deque::size).sum();
  }

  private void onMessage(HardwareMessage message) {
    switch (message) {
      case Packet packet -> onPacket(packet);
      case CableMessage.Credits granted -> {
        credits[granted.virtualLane()] += granted.count();
        pump(granted.virtualLane());
      }
      case CableMessage.LinkState state -> onLinkState(state);
      case Consume consume -> onConsume();
      default -> throw new IllegalStateException("unexpected " + message);
    }
  }

  private void onLinkState(CableMessage.LinkState state) {
    assignedLid = state.lid();
    if (state.up() == up) {
      return;
    }
    up = state.up();
    Arrays.fill(credits, 0);
    Arrays.fill(unreturned, 0);
    if (!up) {
      linkDowns++;
      return;
    }
    linkUps++;
    for (int lane = 0; lane < credits.length; lane++) {
      cable.transmit(new CableMessage.Credits(lane, capacity - occupied[lane]));
    }
  }

  private void onPacket(Packet packet) {
    int lane = VirtualLane.of(packet.serviceLevel(), credits.length);
    if (capacity - occupied[lane] - unreturned[lane] <= 0) {
      overruns++;
      packet.release();
      return;
    }
    occupied[lane]++;
    occupiedHighWater[lane] = Math.max(occupiedHighWater[lane], occupied[lane]);
    inbox.add(packet);
    if (consumeNs == 0 && !paused) {
      onConsume();
    } else {
      consumeSoon();
    }
  }

  private void consumeSoon() {
    if (!consuming && !inbox.isEmpty() && !paused) {
      consuming = true;
      fabric.timers().at(fabric.clock().nowNs() + consumeNs, self, new Consume());
    }
  }

  private void onConsume() {
    consuming = false;
    if (paused) {
      return;
    }
    Packet packet = inbox.poll();
    if (packet == null) {
      return;
    }
    received.add(packet);
    packet.release();
    int lane = VirtualLane.of(packet.serviceLevel(), credits.length);
    occupied[lane]--;
    if (up && ++unreturned[lane] >= Math.max(1, capacity / 2)) {
      cable.transmit(new CableMessage.Credits(lane, unreturned[lane]));
      unreturned[lane] = 0;
    }
    consumeSoon();
  }

  private void pump(int lane) {
    while (up && credits[lane] > 0 && !waiting.get(lane).isEmpty()) {
      credits[lane]--;
      transmitted++;
      cable.transmit(waiting.get(lane).poll());
    }
  }
}
