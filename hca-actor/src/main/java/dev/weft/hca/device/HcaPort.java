package dev.weft.hca.device;

import dev.weft.fabric.link.Cable;
import dev.weft.fabric.packet.CableMessage;
import dev.weft.fabric.packet.Packet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The one port of an HCA: its cable, the link's state and the credits of both directions. Confined to the hardware thread. */
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

  /** Credits of the time before are void; the far end gets all of ours if the link is up now. */
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

  /** The caller has made sure that it may send. */
  void transmit(Packet packet) {
    credits[laneOf(packet.serviceLevel())]--;
    cable.transmit(packet);
  }

  /** A packet has left its receive buffer; credits go back in batches. */
  void returnCredit(int lane) {
    if (++consumed[lane] >= receiveBufferPackets / 2 && up && cable != null) {
      cable.transmit(new CableMessage.Credits(lane, consumed[lane]));
      consumed[lane] = 0;
    }
  }

  /** Credits held, by virtual lane. */
  List<Integer> credits() {
    List<Integer> lanes = new ArrayList<>();
    for (int count : credits) {
      lanes.add(count);
    }
    return lanes;
  }
}
