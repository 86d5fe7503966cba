package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;
import java.util.IdentityHashMap;

/**
 * Multicast packets of one ingress port that have not yet left through all their egress ports. A packet occupies one input buffer
 * until its last copy has left, so there are never more packets here than input buffers. Packets are identified by reference.
 */
final class Replicas {
  private final IdentityHashMap<Packet, int[]> copiesLeft = new IdentityHashMap<>();

  /** Registers {@code packet}, identified by reference, which goes to {@code copies} egress ports, at least one. */
  void begin(Packet packet, int copies) {
    copiesLeft.put(packet, new int[] {copies});
  }

  /** Counts a copy that has left or was discarded. Returns whether it was the last. */
  boolean left(Packet packet) {
    int[] copies = copiesLeft.get(packet);
    if (copies == null) {
      throw new IllegalStateException("more copies left than were made of " + packet);
    }
    if (--copies[0] > 0) {
      return false;
    }
    copiesLeft.remove(packet);
    return true;
  }
}
