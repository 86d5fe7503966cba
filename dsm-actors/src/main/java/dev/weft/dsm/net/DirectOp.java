package dev.weft.dsm.net;

import dev.weft.hca.verbs.WorkRequest;

/** One step of a fault: work requests to one node, in order. The completion of the last one completes the step. */
public final class DirectOp {
  public enum Kind {
    LOCK,
    UNLOCK,
    REVOKE,
    LOOK,
    FETCH
  }

  /** Fills in the {@code part}th work request of a step. */
  public interface Filler {
    WorkRequest fill(DirectOp op, int part, Peer peer, WorkRequest request);
  }

  public static final int NONE = -1;

  public final Kind kind;
  public final int node;
  public final int minipage;
  /** The new lock or right, and the expected old one of a compare-and-swap. */
  public final long value;

  public final long expected;
  public final long copies;
  final Filler filler;
  /** Number of work requests. */
  public int parts;
  /** Place of the step among the running steps, and among those that read announcements. */
  public int index = NONE;

  public int look = NONE;
  /** Number of announcement slots to read. */
  public int slots;
  /** Offset of a minipage in the frames. */
  public long offset;

  public long bytes;
  /** Reads only the announcements again, because there were more than the step had read. */
  public boolean isAgain;

  public DirectOp(Kind kind, int node, int minipage, long value, long expected, long copies, Filler filler) {
    this.kind = kind;
    this.node = node;
    this.minipage = minipage;
    this.value = value;
    this.expected = expected;
    this.copies = copies;
    this.filler = filler;
  }

  public boolean looks() {
    return kind == Kind.REVOKE || kind == Kind.LOOK;
  }
}
