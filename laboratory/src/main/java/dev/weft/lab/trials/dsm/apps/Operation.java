package dev.weft.lab.trials.dsm.apps;

/** Counted operations of a worker's processor between its accesses to shared memory. */
public enum Operation {
  /** An addition, subtraction or multiplication of doubles. */
  FLOATING,
  /** A division or square root of doubles. */
  ROOT,
  /** An addition or comparison of integers, with the load or store that belongs to it. */
  INTEGER
}
