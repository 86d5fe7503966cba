package dev.weft.lab.trials.dsm.check;

/** The result of a checker. */
public enum Verdict {
  /** An order explains the history. */
  HOLDS,
  /** No order explains the history. */
  VIOLATED,
  /** The limit on the work was reached first. */
  UNDECIDED
}
