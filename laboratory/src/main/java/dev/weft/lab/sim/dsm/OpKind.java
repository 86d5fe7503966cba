package dev.weft.lab.sim.dsm;

/** The operations of threads, in the order of reports. */
enum OpKind {
  READ,
  WRITE,
  GET_AND_ADD,
  COMPARE_AND_SET,
  /** Several words, each with its own history. */
  BULK_READ,
  BULK_WRITE,
  /** A block that is only read and written as a whole. */
  BLOCK_READ,
  BLOCK_WRITE,
  /** Takes a lock, and adds to its counter by a read and a write. */
  LOCK,
  /** As {@link #LOCK}, unless that takes too long. */
  TRY_LOCK,
  /** As {@link #LOCK}, after a wait for a signal. */
  CONDITION_WAIT,
  /** As {@link #LOCK}, and signals. */
  SIGNAL,
  BARRIER,
  PREFETCH,
  PUSH;

  /** Whether it takes a lock. */
  boolean isLocked() {
    return this == LOCK || this == TRY_LOCK || this == CONDITION_WAIT || this == SIGNAL;
  }

  /** Whether it may change memory. */
  boolean isWrite() {
    return this == WRITE || this == GET_AND_ADD || this == COMPARE_AND_SET || this == BULK_WRITE || this == BLOCK_WRITE || isLocked();
  }
}
