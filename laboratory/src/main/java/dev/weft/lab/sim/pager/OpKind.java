package dev.weft.lab.sim.pager;

/** What clients ask of the device. */
public enum OpKind {
  READ,
  WRITE,
  TRIM,
  ZERO,
  STATUS,
  FLUSH;

  /** Whether it gives sectors a new value. */
  boolean changes() {
    return this == WRITE || this == TRIM || this == ZERO;
  }
}
