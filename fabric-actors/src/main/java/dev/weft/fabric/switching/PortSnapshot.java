package dev.weft.fabric.switching;

import java.util.List;

/**
 * The state of one port of a switch. Counters begin when the port was attached; bytes are {@code Packet.wireLength()}.
 *
 * @param number port number, from 1
 * @param name the name from {@link SwitchActor.AttachPort}
 * @param lid LID of the HCA at the far end, 0 for a trunk or while not assigned
 * @param up whether packets pass
 * @param packetsIn packets that came in from the cable, including discarded ones
 * @param bytesIn their length
 * @param packetsOut packets that went out on the cable
 * @param bytesOut their length
 * @param discards packets discarded at this port
 * @param controlErrors invalid credit updates from the far end
 * @param unknownMessages messages that its actor did not understand
 * @param lanes state of each virtual lane
 */
public record PortSnapshot(
    int number,
    String name,
    int lid,
    boolean up,
    long packetsIn,
    long bytesIn,
    long packetsOut,
    long bytesOut,
    Discards discards,
    long controlErrors,
    long unknownMessages,
    List<Lane> lanes) {

  /** Discarded packets by {@link DiscardReason}. */
  public record Discards(long noRoute, long linkDown, long creditViolation, long headOfQueueLifetime) {
    /** Returns the sum over all reasons. */
    public long total() {
      return noRoute + linkDown + creditViolation + headOfQueueLifetime;
    }
  }

  /**
   * One virtual lane of a port; all but {@code stalled} in packets.
   *
   * @param queued packets that wait here for an egress credit
   * @param queuedHighWater largest number that ever waited
   * @param credits credits for packets to the far end
   * @param inputOccupied input buffers in use by packets that came in here
   * @param inputOccupiedHighWater largest number that was ever in use
   * @param farEndCredits credits that the far end holds or has in flight
   * @param stalled whether packets are discarded because no credit came for the head-of-queue lifetime
   */
  public record Lane(
      int queued,
      int queuedHighWater,
      int credits,
      int inputOccupied,
      int inputOccupiedHighWater,
      int farEndCredits,
      boolean stalled) {}
}
