package dev.weft.fabric.link;

/**
 * Counts of packets of one direction of a simulated cable.
 *
 * @param transmitted handed to the cable
 * @param delivered delivered to the far end, or on the way to it, including duplicates and accepted corruptions
 * @param lost faults: not delivered
 * @param duplicated faults: delivered a second time
 * @param reordered faults: delivered late
 * @param corruptionsRejected faults: not delivered because the checks found the corruption
 * @param corruptionsAccepted faults: delivered although bits were flipped
 * @param partitioned faults: not delivered because the cable was cut
 */
public record LinkCounts(
    long transmitted,
    long delivered,
    long lost,
    long duplicated,
    long reordered,
    long corruptionsRejected,
    long corruptionsAccepted,
    long partitioned) {

  /** Returns the sum of both, for the two directions of a cable. */
  public LinkCounts plus(LinkCounts other) {
    return new LinkCounts(
        transmitted + other.transmitted,
        delivered + other.delivered,
        lost + other.lost,
        duplicated + other.duplicated,
        reordered + other.reordered,
        corruptionsRejected + other.corruptionsRejected,
        corruptionsAccepted + other.corruptionsAccepted,
        partitioned + other.partitioned);
  }
}
