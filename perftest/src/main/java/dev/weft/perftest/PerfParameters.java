package dev.weft.perftest;

import dev.weft.fabric.packet.RoceV2;
import dev.weft.hca.verbs.QpType;

/**
 * One measurement.
 *
 * @param type transport service of the queue pairs
 * @param sizeBytes length of each message
 * @param iterations messages per queue pair, or 0 if the duration counts
 * @param durationNs how long messages are started, or 0 if the iterations count
 * @param warmUp messages per queue pair before the clock starts
 * @param queuePairs connections
 * @param depth messages outstanding on each
 * @param inlineBytes messages up to this length are sent inline
 * @param verify whether every byte and every atomic result is checked
 * @param rateOps messages started per second over all queue pairs, or 0 for as many as possible
 * @param parkTarget whether the target's application and all dispatchers of its JVM are blocked while it is measured
 */
record PerfParameters(
    PerfTest test,
    QpType type,
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
    return (headerBytes() + Math.max(sizeBytes, Long.BYTES) + SLOT_ALIGNMENT - 1) & -SLOT_ALIGNMENT;
  }

  /** Bytes in front of what a datagram's receive gets. */
  int headerBytes() {
    return headerBytes(type);
  }

  static int headerBytes(QpType type) {
    return type == QpType.UD ? RoceV2.GRH_LENGTH : 0;
  }

  /** Whether messages may get lost without a word. */
  boolean isUnreliable() {
    return type != QpType.RC;
  }

  boolean isInline() {
    return sizeBytes <= inlineBytes && !operation().isReadOrAtomic();
  }

  PerfParameters withDepth(int newDepth) {
    return new PerfParameters(test, type, sizeBytes, iterations, durationNs, warmUp, queuePairs, newDepth, inlineBytes, verify, rateOps,
        context, parkTarget);
  }
}
