package dev.weft.dsm.node;

import dev.weft.hca.verbs.WorkRequest;

/** One step of a fault: work requests to one node, in order; the completion of the last says that all are done. */
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
  /** What the lock, or the right, is to be; where it is expected to be something, that. */
  final long value;

  final long expected;
  final long copies;
  final Filler filler;
  /** Work requests. */
  int parts;
  /** Its places among all that are under way. */
  int index = NONE;

  int look = NONE;
  /** Announcements that are read. */
  int slots;
  /** Of a minipage, where it is in the frames. */
  long offset;

  long bytes;
  /** Only the announcements are read again: there were more than were read. */
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
