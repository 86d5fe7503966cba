package dev.weft.dsm.node;

import dev.weft.dsm.wire.DsmMessage;

/** A verb of a {@link DirectModel}, and what it has found so far; or a message. */
final class DirectModelVerb {
  enum Kind {
    LOCK,
    UNLOCK,
    REVOKE,
    LOOK,
    FETCH,
    MESSAGE
  }

  final Kind kind;
  final int minipage;
  final long value;
  final long expected;
  final long copies;
  final int parts;
  int done;
  long found;
  long foundOwner;
  long foundCopies;
  boolean isInside;
  DsmMessage message;

  DirectModelVerb(Kind kind, int minipage, long value, long expected, long copies) {
    this.kind = kind;
    this.minipage = minipage;
    this.value = value;
    this.expected = expected;
    this.copies = copies;
    this.parts = kind == Kind.UNLOCK || kind == Kind.REVOKE ? 2 : 1;
  }

  DirectModelVerb(DsmMessage message) {
    this(Kind.MESSAGE, 0, 0, 0, 0);
    this.message = message;
  }

  @Override
  public String toString() {
    return kind == Kind.MESSAGE ? message.toString() : kind + " of " + minipage + ": " + value + ", expected " + expected
        + ", copies " + Long.toBinaryString(copies) + ", part " + done + " of "
        + parts + ", found " + found + " " + foundOwner + " " + Long.toBinaryString(foundCopies) + (isInside ? ", inside" : "");
  }
}
