package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Packet;
import dev.weft.tripwire.nic.NicSettings;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Packets that wait to be placed one after the other, if placing takes time ({@code weft.tripwire.place-time}). If the buffers are nearly full, the
 * NIC sends Xoff to its switch port, and Xon when there is room again (CLAN, section 2.2): the network waits, and loses nothing. Hardware thread.
 * Bound: the granted credits.
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
   * @param timer schedules a call of {@link #onPlaced} at the given time
   */
  Input(NicSettings settings, NicPort port, Consumer<Packet> place, LongConsumer timer) {
    placeNs = settings.placeNs();
    xoffAt = settings.inputXoffAtPackets();
    xonAt = settings.inputXonAtPackets();
    this.port = port;
    this.place = place;
    this.timer = timer;
  }

  /** Whether packets are placed on arrival. */
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

  /** The oldest packet is placed. */
  void onPlaced(long nowNs) {
    timerRuns = false;
    placeOne();
    runTimer(nowNs);
  }

  private void placeOne() {
    Held oldest = held.poll();
    if (oldest == null) {
      return; // The packets were drained.
    }
    place.accept(oldest.packet());
    port.returnCredit(oldest.packet().serviceLevel(), oldest.session());
    if (saidXoff && held.size() <= xonAt) {
      port.sayXoff(false);
      saidXoff = false;
    }
  }

  /** The link has changed: earlier Xoff and Xon are void. */
  void onLink() {
    saidXoff = xoffAt > 0 && held.size() >= xoffAt && port.sayXoff(true);
  }

  /** Places all waiting packets at once. */
  void drain() {
    while (!held.isEmpty()) {
      placeOne();
    }
  }

  int waiting() {
    return held.size();
  }
}
