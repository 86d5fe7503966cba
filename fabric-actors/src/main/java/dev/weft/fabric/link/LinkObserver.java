package dev.weft.fabric.link;

import dev.weft.fabric.packet.Packet;

/** Sees what becomes of each packet on a simulated cable; must change nothing. Called on the simulation's thread. */
@FunctionalInterface
public interface LinkObserver {
  /** What the cable does with a packet. */
  enum Fate {
    DELIVERED,
    /** Delivered later than its turn. */
    DELAYED,
    /** A second copy; the first was reported before. */
    DUPLICATE,
    /** Bits were flipped and the checks let it pass: the packet is what arrives. */
    ALTERED,
    LOST,
    /** Bits were flipped and the checks found it: not delivered. */
    CORRUPTED,
    /** Not delivered because the cable is cut. */
    CUT;

    public boolean arrives() {
      return this == DELIVERED || this == DELAYED || this == DUPLICATE || this == ALTERED;
    }
  }

  /**
   * A packet was handed to the cable.
   *
   * @param fromA whether end A transmitted it
   * @param arrivalNs when it reaches the far end, or would have
   */
  void onPacket(boolean fromA, Packet packet, Fate fate, long arrivalNs);
}
