package dev.weft.fabric.link;

import dev.weft.fabric.packet.Packet;

/** Learns the fate of each packet on a simulated cable. It must not change anything. Called on the simulation's thread. */
@FunctionalInterface
public interface LinkObserver {
  /** What the cable does with a packet. */
  enum Fate {
    DELIVERED,
    /** Delivered later than its turn. */
    DELAYED,
    /** A second copy; the first was reported before. */
    DUPLICATE,
    /** Delivered with flipped bits that the checks did not find; the observer gets the packet as it arrives. */
    ALTERED,
    LOST,
    /** Not delivered, because the checks found flipped bits. */
    CORRUPTED,
    /** Not delivered because the cable is cut. */
    CUT;

    public boolean arrives() {
      return this == DELIVERED || this == DELAYED || this == DUPLICATE || this == ALTERED;
    }
  }

  /**
   * Reports a packet that was handed to the cable.
   *
   * @param fromA whether end A transmitted it
   * @param arrivalNs virtual time at which it reaches the far end, or would have reached it
   */
  void onPacket(boolean fromA, Packet packet, Fate fate, long arrivalNs);
}
