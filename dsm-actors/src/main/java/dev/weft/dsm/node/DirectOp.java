package dev.weft.dsm.node;

import dev.weft.hca.verbs.WorkRequest;

/** One step of a fault: work requests to one node, in order. The completion of the last one completes the step. */
final class DirectOp {
  enum Kind {
    LOCK,
    UNLOCK,
    REVOKE,
    LOOK,
    FETCH
  }

  /** Fills in the {@code part}th work request of a step. */
  interface Filler {
    WorkRequest fill(DirectOp op, int part, Peer peer, WorkRequest request);
  }

  static final int NONE = -1;

  final Kind kind;
  final int node;
  final int minipage;
  /** The new lock or right, and the expected old one of a compare-and-swap. */
  final long value;

  final long expected;
  final long copies;
  final Filler filler;
  /** Number of work requests. */
  int parts;
  /** Place of the step among the running steps, and among those that read announcements. */
  int index = NONE;

  int look = NONE;
  /** Number of announcement slots to read. */
  int slots;
  /** Offset of a minipage in the frames. */
  long offset;

  long bytes;
  /** Reads only the announcements again, because there were more than the step had read. */
  boolean isAgain;

  DirectOp(Kind kind, int node, int minipage, long value, long expected, long copies, Filler filler) {
    this.kind = kind;
    this.node = node;
    this.minipage = minipage;
    this.value = value;
    this.expected = expected;
    this.copies = copies;
    this.filler = filler;
  }

  boolean looks() {
    return kind == Kind.REVOKE || kind == Kind.LOOK;
  }
}
