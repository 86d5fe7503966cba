package dev.weft.tripwire.device;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import dev.weft.tripwire.nic.NicSettings;
import java.util.Arrays;

/** The port of a NIC: its cable, the state of the link, and the credits of both directions. Hardware thread. */
final class NicPort {
  private final int receiveBufferPackets;
  /** The virtual lane of all packets of a NIC. */
  private final int ownLane;
  private final int[] credits;
  private final int[] consumed;
  private final int xoffAt;
  private final int xonAt;
  private Cable cable;
  private boolean up;
  /** Whether the switch has sent Xoff. */
  private boolean stopped;
  private long xoffs;
  private long xoffsSaid;
  private int lid;
  /** Number of the link's changes; a change makes credits void. */
  private int session;

  NicPort(int virtualLanes, NicSettings settings) {
    xoffAt = settings.xoffAtPackets();
    xonAt = settings.xonAtPackets();
    receiveBufferPackets = settings.receiveBufferPackets();
    ownLane = VirtualLane.of(settings.serviceLevel(), virtualLanes);
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
    return credits[ownLane];
  }

  void attach(Cable newCable) {
    cable = newCable;
    grantIfUp();
  }

  /** Handles a change of the link, which makes earlier credits void. */
  void onLinkState(CableMessage.LinkState state) {
    lid = state.lid() != 0 ? state.lid() : lid;
    if (up != state.up()) {
      up = state.up();
      session++;
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

  int session() {
    return session;
  }

  /** Handles Xoff and Xon of the switch. */
  void onXoff(CableMessage.Xoff xoff) {
    if (xoff.virtualLane() == ownLane) {
      stopped = xoff.stop();
      xoffs += stopped ? 1 : 0;
    }
  }

  long xoffs() {
    return xoffs;
  }

  /** Sends Xoff or Xon to the switch port; returns false if the link is down. All NICs use the same lane. */
  boolean sayXoff(boolean stop) {
    if (!up || cable == null) {
      return false;
    }
    xoffsSaid += stop ? 1 : 0;
    cable.transmit(new CableMessage.Xoff(ownLane, stop));
    return true;
  }

  long xoffsSaid() {
    return xoffsSaid;
  }

  /** Whether that many packets may leave now. */
  boolean maySend(int packets) {
    return up && !stopped && lid != 0 && credits[ownLane] >= packets;
  }

  /** Sends a packet; the caller has checked that it may. */
  void transmit(Packet packet) {
    credits[ownLane]--;
    cable.transmit(packet);
  }

  /** Runs {@code done} when the transmitted bytes have been read from this host's memory. */
  void whenRead(Runnable done) {
    cable.whenRead(done);
  }

  /** A packet that arrived in that session of the link is handled; credits are returned in batches. */
  void returnCredit(int serviceLevel, int ofSession) {
    int lane = VirtualLane.of(serviceLevel, credits.length);
    if (ofSession == session && ++consumed[lane] >= receiveBufferPackets / 2 && up && cable != null) {
      cable.transmit(new CableMessage.Credits(lane, consumed[lane]));
      consumed[lane] = 0;
    }
  }
}
