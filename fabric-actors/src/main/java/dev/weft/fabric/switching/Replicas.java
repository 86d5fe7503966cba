package dev.weft.fabric.switching;

import dev.weft.fabric.packet.Packet;
import java.util.IdentityHashMap;

/**
 * Multicast packets of one ingress port that have not left through all their egress ports. A packet occupies one input buffer until
 * the last copy has left, so there are never more of them than input buffers. Looked up by identity, never iterated.
 */
final class Replicas {
  private final IdentityHashMap<Packet, int[]> copiesLeft = new IdentityHashMap<>();

  /** {@code packet}, this very object, goes to so many egress ports, at least one. */
  void begin(Packet packet, int copies) {
    copiesLeft.put(packet, new int[] {copies});
  }

  /** One copy has left or was discarded; true if it was the last. */
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
