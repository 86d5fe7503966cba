package dev.weft.tripwire;

import dev.weft.fabric.packet.Packet;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Packets that have come and wait to be placed, one after the other, where that takes time ({@code weft.tripwire.place-time}). When so many
 * wait that the buffers are nearly full the NIC says Xoff to its switch port, and Xon when there is room again (seed 003 section 2.2): the
 * network waits, and loses nothing. Hardware thread. Bound: the credits that were granted.
 */
final class Input {
  private record Held(Packet packet, int session) {}

  private final long placeNs;
  private final int xoffAt;
  private final int xonAt;
  private final NicPort port;
  private final Consumer<Packet> place;
  private final LongConsumer timer;
  private final ArrayDeque<Held> held = new ArrayDeque<>();
  private boolean saidXoff;
  private boolean timerRuns;

  /**
   * The input of a port.
   *
   * @param place takes a packet and releases it
   * @param timer has {@link #onPlaced} called at that time
   */
  Input(NicSettings settings, NicPort port, Consumer<Packet> place, LongConsumer timer) {
    placeNs = settings.placeNs();
    xoffAt = settings.inputXoffAtPackets();
    xonAt = settings.inputXonAtPackets();
    this.port = port;
    this.place = place;
    this.timer = timer;
  }

  /** Whether packets are placed when they come. */
  boolean isDirect() {
    return placeNs == 0;
  }

  void arrived(Packet packet, long nowNs) {
    held.add(new Held(packet, port.session()));
    if (xoffAt > 0 && !saidXoff && held.size() >= xoffAt) {
      saidXoff = port.sayXoff(true);
    }
    runTimer(nowNs);
  }

  private void runTimer(long nowNs) {
    if (!timerRuns && !held.isEmpty()) {
      timerRuns = true;
      timer.accept(nowNs + placeNs);
    }
  }

  /** The oldest packet is in its place. */
  void onPlaced(long nowNs) {
    timerRuns = false;
    placeOne();
    runTimer(nowNs);
  }

  private void placeOne() {
    Held oldest = held.poll();
    if (oldest == null) {
      return; // They were drained.
    }
    place.accept(oldest.packet());
    port.returnCredit(oldest.packet().serviceLevel(), oldest.session());
    if (saidXoff && held.size() <= xonAt) {
      port.sayXoff(false);
      saidXoff = false;
    }
  }

  /** The link has changed: what was said before is void. */
  void onLink() {
    saidXoff = xoffAt > 0 && held.size() >= xoffAt && port.sayXoff(true);
  }

  /** Nothing waits any more. */
  void drain() {
    while (!held.isEmpty()) {
      placeOne();
    }
  }

  int waiting() {
    return held.size();
  }
}
