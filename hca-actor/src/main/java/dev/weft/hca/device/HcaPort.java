package dev.weft.hca.device;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The only port of an HCA: its cable, the state of the link and the credits of both directions. Used on the hardware thread only. */
final class HcaPort {
  private final int receiveBufferPackets;
  private final int[] credits;
  private final int[] consumed;
  private Cable cable;
  private boolean up;
  private int lid;

  HcaPort(int virtualLanes, int receiveBufferPackets) {
    this.receiveBufferPackets = receiveBufferPackets;
    credits = new int[virtualLanes];
    consumed = new int[virtualLanes];
  }

  int lid() {
    return lid;
  }

  void setLid(int assigned) {
    lid = assigned;
  }

  boolean isUp() {
    return up;
  }

  void attach(Cable newCable) {
    cable = newCable;
    grantIfUp();
  }

  /** Changes the state of the link. Earlier credits become void; if the link is up now, the far end gets all of this port's credits. */
  void setUp(boolean nowUp) {
    up = nowUp;
    Arrays.fill(credits, 0);
    grantIfUp();
  }

  private void grantIfUp() {
    if (up && cable != null) {
      Arrays.fill(consumed, 0);
      for (int vl = 0; vl < credits.length; vl++) {
        cable.transmit(new CableMessage.Credits(vl, receiveBufferPackets));
      }
    }
  }

  void onCredits(CableMessage.Credits granted) {
    credits[granted.virtualLane()] += granted.count();
  }

  int laneOf(int serviceLevel) {
    return serviceLevel % credits.length;
  }

  boolean maySend(int lane) {
    return up && credits[lane] > 0;
  }

  /** Transmits a packet; the caller must have checked that it may send. */
  void transmit(Packet packet) {
    credits[laneOf(packet.serviceLevel())]--;
    cable.transmit(packet);
  }

  /** Counts a packet that has left its receive buffer; returns credits to the far end in batches. */
  void returnCredit(int lane) {
    if (++consumed[lane] >= receiveBufferPackets / 2 && up && cable != null) {
      cable.transmit(new CableMessage.Credits(lane, consumed[lane]));
      consumed[lane] = 0;
    }
  }

  /** The available credits by virtual lane. */
  List<Integer> credits() {
    List<Integer> lanes = new ArrayList<>();
    for (int count : credits) {
      lanes.add(count);
    }
    return lanes;
  }
}
