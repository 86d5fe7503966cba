package dev.weft.dsm.node;

/** What {@link Search} searches: something with state, in which one of several steps can be taken next. */
interface Model {
  /** Codes of what may happen now. */
  int[] enabled();

  /** What a step is, before it is taken. */
  String describe(int code);

  void step(int code);

  /** What is wrong in this state; null if nothing. */
  String problem();

  /** Whether nothing is left to do. */
  boolean isQuiet();

  /** What the threads have read, and how far they came. */
  String outcome();

  /** Whether one order of what was done explains what was read. */
  boolean isSequential();

  /** Appends all that makes a difference for what may follow. */
  void append(StringBuilder to);
}
