package dev.weft.perftest;

import dev.weft.fabric.packet.RoceV2;
import dev.weft.hca.verbs.QpType;

/**
 * The parameters of one measurement.
 *
 * @param test operation and metric
 * @param type transport service of the queue pairs
 * @param sizeBytes length of each message
 * @param iterations messages per queue pair, or 0 if the duration counts
 * @param durationNs how long messages are started, or 0 if the iterations count
 * @param warmUp messages per queue pair before the measurement starts
 * @param queuePairs number of connections
 * @param depth largest number of outstanding messages on each
 * @param inlineBytes messages up to this length are sent inline
 * @param verify whether every byte and every atomic result is checked
 * @param rateOps messages started per second over all queue pairs, or 0 for as many as possible
 * @param context the thread that runs the near side
 * @param parkTarget whether the target's application and all dispatchers of its JVM are blocked during the measurement
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

  /** Each slot begins on its own cache line. */
  private static final int SLOT_ALIGNMENT = 64;

  PerfOperation operation() {
    return test.operation();
  }

  /** Returns the slots of each buffer. With verification, each outstanding message has its own; otherwise all use one, as in the perftest package. */
  int slots() {
    return verify ? depth : 1;
  }

  /** Returns the bytes from one slot to the next. */
  int strideBytes() {
    return (headerBytes() + Math.max(sizeBytes, Long.BYTES) + SLOT_ALIGNMENT - 1) & -SLOT_ALIGNMENT;
  }

  /** Returns the bytes before the message in a receive buffer; not 0 only for datagrams. */
  int headerBytes() {
    return headerBytes(type);
  }

  static int headerBytes(QpType type) {
    return type == QpType.UD ? RoceV2.GRH_LENGTH : 0;
  }

  /** Whether messages may be lost silently. */
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
