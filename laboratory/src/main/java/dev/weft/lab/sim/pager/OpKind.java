package dev.weft.lab.sim.pager;

/** The requests of clients. */
public enum OpKind {
  READ,
  WRITE,
  TRIM,
  ZERO,
  STATUS,
  FLUSH;

  /** Whether it changes the value of sectors. */
  boolean changes() {
    return this == WRITE || this == TRIM || this == ZERO;
  }
}
