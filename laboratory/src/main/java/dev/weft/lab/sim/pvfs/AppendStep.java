package dev.weft.lab.sim.pvfs;

/**
 * An append of a program.
 *
 * @param atNs start, from the start of the run; later if the previous append is not done
 * @param file index of the file
 * @param bytes 1 to {@value #BYTES_MAX}
 */
record AppendStep(long atNs, int file, int bytes) {
  static final int BYTES_MAX = 20_000;
}
