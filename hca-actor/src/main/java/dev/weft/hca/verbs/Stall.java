package dev.weft.hca.verbs;

/**
 * The reason why a queue pair does not progress, for inspection.
 *
 * @param cause the reason
 * @param ns the duration of the wait in nanoseconds; 0 if the queue pair progresses
 */
public record Stall(Cause cause, long ns) {
  /** The queue pair progresses or has nothing to do. */
  public static final Stall NONE = new Stall(Cause.NONE, 0);

  /** The reasons for which a queue pair can wait. */
  public enum Cause {
    NONE,
    /** The peer has no receive posted for the next message of this queue pair. */
    RNR_STALLED,
    /** The peer has sent a message, but no receive is posted here. */
    RECEIVE_MISSING,
    /** The peer gives no credit for another packet, because pages of its memory are absent. */
    WINDOW_FULL,
    /** The peer does not acknowledge, and a retransmission timer has expired. */
    PEER_SILENT,
    /** All slots of the send queue hold completed requests; the program does not poll their completions. */
    CQ_NOT_POLLED
  }

  /** Returns the longer of two waits. */
  public static Stall longer(Stall one, Stall other) {
    return one.ns >= other.ns ? one : other;
  }
}
