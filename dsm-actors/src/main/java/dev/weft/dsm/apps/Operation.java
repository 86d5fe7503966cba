package dev.weft.dsm.apps;

/** What a worker's processor does between its uses of shared memory, as far as it is counted. */
public enum Operation {
  /** An addition, subtraction or multiplication of doubles. */
  FLOATING,
  /** A division or square root of doubles. */
  ROOT,
  /** An addition or comparison of integers, with the load or store that belongs to it. */
  INTEGER
}
