package dev.weft.lab.seed002.files;

/**
 * The file system under each I/O daemon, in bytes per second (seed 002 Table 3).
 *
 * @param readRate of its file access manager
 * @param writeRate the same
 */
record Files(double readRate, double writeRate) {
  private static final double NS = 1e9;

  long ns(boolean isWrite, long bytes) {
    return Math.round(bytes * NS / (isWrite ? writeRate : readRate));
  }
}
