package dev.weft.tripwire;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.CableMessage;
import dev.weft.fabric.packet.Packet;
import java.util.Arrays;

/** The port of a NIC: its cable, the link's state, the credits of both directions. Hardware thread. */
final class NicPort {
  private final int receiveBufferPackets;
  private final int[] credits;
  private final int[] consumed;
  private final int xoffAt;
  private final int xonAt;
  private Cable cable;
  private boolean up;
  /** The switch has said Xoff. */
  private boolean stopped;
  private long xoffs;
  private int lid;

  NicPort(int virtualLanes, int receiveBufferPackets, int xoffAt, int xonAt) {
    this.xoffAt = xoffAt;
    this.xonAt = xonAt;
    this.receiveBufferPackets = receiveBufferPackets;
    credits = new int[virtualLanes];
    consumed = new int[virtualLanes];
  }

  int lid() {
    return lid;
  }

  boolean isUp() {
    return up;
  }

  int credits() {
    return credits[0];
  }

  void attach(Cable newCable) {
    cable = newCable;
    grantIfUp();
  }

  /** Credits of the time before are void when the link changes. */
  void onLinkState(CableMessage.LinkState state) {
    lid = state.lid() != 0 ? state.lid() : lid;
    if (up != state.up()) {
      up = state.up();
      Arrays.fill(credits, 0);
      grantIfUp();
    }
  }

  private void grantIfUp() {
    if (up && cable != null) {
      Arrays.fill(consumed, 0);
      stopped = false;
      if (xoffAt > 0) {
        cable.transmit(new CableMessage.WantsXoff(xoffAt, xonAt));
      }
      for (int lane = 0; lane < credits.length; lane++) {
        cable.transmit(new CableMessage.Credits(lane, receiveBufferPackets));
      }
    }
  }

  void onCredits(CableMessage.Credits granted) {
    credits[granted.virtualLane()] += granted.count();
  }

  /** Stop, or go on. All that a NIC sends is on lane 0. */
  void onXoff(CableMessage.Xoff xoff) {
    if (xoff.virtualLane() == 0) {
      stopped = xoff.stop();
      xoffs += stopped ? 1 : 0;
    }
  }

  long xoffs() {
    return xoffs;
  }

  /** Whether that many packets may leave now. */
  boolean maySend(int packets) {
    return up && !stopped && lid != 0 && credits[0] >= packets;
  }

  /** The caller has made sure that it may send. */
  void transmit(Packet packet) {
    credits[0]--;
    cable.transmit(packet);
  }

  /** Runs {@code done} when what was transmitted has been read from this host's memory. */
  void whenRead(Runnable done) {
    cable.whenRead(done);
  }

  /** A packet has been dealt with; credits go back in batches. */
  void returnCredit(int serviceLevel) {
    int lane = serviceLevel % credits.length;
    if (++consumed[lane] >= receiveBufferPackets / 2 && up && cable != null) {
      cable.transmit(new CableMessage.Credits(lane, consumed[lane]));
      consumed[lane] = 0;
    }
  }
}
