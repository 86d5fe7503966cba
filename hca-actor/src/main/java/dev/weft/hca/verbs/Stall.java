package dev.weft.hca.verbs;

/**
 * Why a queue pair does not move, for inspection.
 *
 * @param cause what it waits for
 * @param ns how long it has waited for that, in nanoseconds; 0 if it moves
 */
public record Stall(Cause cause, long ns) {
  /** The queue pair moves, or has nothing to do. */
  public static final Stall NONE = new Stall(Cause.NONE, 0);

  /** What a queue pair can wait for. */
  public enum Cause {
    NONE,
    /** The peer has no receive posted for the next message of this queue pair. */
    RNR_STALLED,
    /** The peer has sent, and no receive is posted here. */
    RECEIVE_MISSING,
    /** The peer gives no credit for another packet: pages of its memory are absent. */
    WINDOW_FULL,
    /** The peer does not acknowledge, and a retransmission timer has expired. */
    PEER_SILENT,
    /** All slots of the send queue hold completed requests; the program does not poll their completions. */
    CQ_NOT_POLLED
  }

  /** The longer wait of two. */
  public static Stall longer(Stall one, Stall other) {
    return one.ns >= other.ns ? one : other;
  }
}
