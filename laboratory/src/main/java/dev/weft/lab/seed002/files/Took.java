package dev.weft.lab.seed002.files;

/**
 * What programs that began together took.
 *
 * @param bytes that all of them moved
 * @param ns to the end of the last one
 * @param busyNs processor time of the compute nodes, all together
 * @param computeNodes how many
 */
record Took(long bytes, long ns, long busyNs, int computeNodes) {
  private static final double MB = 1 << 20;
  private static final double NS = 1e9;
  private static final double PERCENT = 100;

  /** MB/s of all together; the paper's MB are 2^20 bytes. */
  double rate() {
    return bytes / MB * NS / ns;
  }

  /** Percent of the time of one processor of a compute node. */
  double busyPercent() {
    return PERCENT * busyNs / computeNodes / ns;
  }
}
