package dev.weft.lab.sim.pvfs;

/**
 * An append of a program.
 *
 * @param atNs when it begins, from the start of the run; later if the one before is not over
 * @param file its index
 * @param bytes 1 to {@value #BYTES_MAX}
 */
record AppendStep(long atNs, int file, int bytes) {
  static final int BYTES_MAX = 20_000;
}
