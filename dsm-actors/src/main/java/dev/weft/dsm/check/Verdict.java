package dev.weft.dsm.check;

/** What a checker found out. */
public enum Verdict {
  /** There is an order that explains the history. */
  HOLDS,
  /** There is none. */
  VIOLATED,
  /** The limit on the work was reached before an answer was found. */
  UNDECIDED
}
