package dev.weft.launcher.perftest;

/**
 * One measurement.
 *
 * @param sizeBytes length of each message
 * @param iterations messages per queue pair, or 0 if the duration counts
 * @param durationNs how long messages are started, or 0 if the iterations count
 * @param warmUp messages per queue pair before the clock starts
 * @param queuePairs connections
 * @param depth messages outstanding on each
 * @param inlineBytes messages up to this length are sent inline
 * @param verify whether every byte and every atomic result is checked
 * @param rateOps messages started per second over all queue pairs, or 0 for as many as possible
 * @param parkTarget whether a thread that stands for the target's application sleeps throughout
 */
record PerfParameters(
    PerfTest test,
    int sizeBytes,
    long iterations,
    long durationNs,
    long warmUp,
    int queuePairs,
    int depth,
    int inlineBytes,
    boolean verify,
    double rateOps,
    PerfContext context,
    boolean parkTarget) {

  /** Slots start on a cache line of their own. */
  private static final int SLOT_ALIGNMENT = 64;

  PerfOperation operation() {
    return test.operation();
  }

  /** Slots of each buffer: verification keeps messages apart, otherwise all use one, as in perftest. */
  int slots() {
    return verify ? depth : 1;
  }

  /** Bytes from one slot to the next. */
  int strideBytes() {
    return (Math.max(sizeBytes, Long.BYTES) + SLOT_ALIGNMENT - 1) & -SLOT_ALIGNMENT;
  }

  boolean isInline() {
    return sizeBytes <= inlineBytes && !operation().isReadOrAtomic();
  }

  PerfParameters withDepth(int newDepth) {
    return new PerfParameters(test, sizeBytes, iterations, durationNs, warmUp, queuePairs, newDepth, inlineBytes, verify, rateOps,
        context, parkTarget);
  }
}
