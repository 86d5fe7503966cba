package dev.weft.tripwire;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import java.util.Arrays;

/** The port of a NIC: its cable, the link's state, the credits of both directions. Hardware thread. */
final class NicPort {
  private final int receiveBufferPackets;
  /** The lane of all that a NIC sends. */
  private final int ownLane;
  private final int[] credits;
  private final int[] consumed;
  private final int xoffAt;
  private final int xonAt;
  private Cable cable;
  private boolean up;
  /** The switch has said Xoff. */
  private boolean stopped;
  private long xoffs;
  private long xoffsSaid;
  private int lid;
  /** Counts changes of the link, which make credits void. */
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

  /** Credits of the time before are void when the link changes. */
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

  /** Stop, or go on. */
  void onXoff(CableMessage.Xoff xoff) {
    if (xoff.virtualLane() == ownLane) {
      stopped = xoff.stop();
      xoffs += stopped ? 1 : 0;
    }
  }

  long xoffs() {
    return xoffs;
  }

  /** Tells the switch port to stop, or to go on; false if the link is down. NICs send to each other on the same lane. */
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

  /** The caller has made sure that it may send. */
  void transmit(Packet packet) {
    credits[ownLane]--;
    cable.transmit(packet);
  }

  /** Runs {@code done} when what was transmitted has been read from this host's memory. */
  void whenRead(Runnable done) {
    cable.whenRead(done);
  }

  /** A packet that came in that session of the link has been dealt with; credits go back in batches. */
  void returnCredit(int serviceLevel, int ofSession) {
    int lane = VirtualLane.of(serviceLevel, credits.length);
    if (ofSession == session && ++consumed[lane] >= receiveBufferPackets / 2 && up && cable != null) {
      cable.transmit(new CableMessage.Credits(lane, consumed[lane]));
      consumed[lane] = 0;
    }
  }
}
