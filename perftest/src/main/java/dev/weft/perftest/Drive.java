package dev.weft.perftest;

import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.service.CommandFailure;
import dev.weft.service.measure.LatencyRecorder;

/**
 * The near side of a test as a machine that is polled: each call looks for completions and starts what may be started. It does not
 * know which thread polls it, but it is one at a time. A pass is a number of messages or a time; passes follow each other on the same
 * connections.
 */
abstract class Drive {
  final PerfParameters p;
  private final double intervalNs;
  private long rateStartNs;
  private long rateIndex;
  private boolean finished = true;
  private volatile long passesDone;
  private volatile long progress;
  private volatile String failure;
  private long wrong;
  private String firstError = "";
  long startNs;
  long endNs;

  Drive(PerfParameters p) {
    this.p = p;
    intervalNs = p.rateOps() > 0 ? 1e9 / p.rateOps() : 0;
  }

  /**
   * Begins a pass.
   *
   * @param count messages per connection, or 0 if the duration counts
   * @param durationNs how long messages are started, or 0
   * @param recorder takes the latencies, or null while warming up
   */
  final void start(long count, long durationNs, LatencyRecorder recorder) {
    finished = false;
    startNs = System.nanoTime();
    endNs = startNs;
    rateStartNs = startNs;
    rateIndex = 0;
    onStart(count, durationNs == 0 ? Long.MAX_VALUE : durationNs, recorder);
  }

  abstract void onStart(long count, long durationNs, LatencyRecorder recorder);

  /** Looks once; returns how many things happened. A verb that is refused ends the pass. */
  final int poll() {
    try {
      return look();
    } catch (VerbsException refused) {
      fail(p.test().cliName() + ": " + refused.getMessage());
      return 1;
    }
  }

  /** What {@link #poll} does. */
  abstract int look();

  /** Messages of this pass that were lost, as far as this side notices. */
  long lost() {
    return 0;
  }

  /** Gives up a message whose answer is overdue, where messages may be lost; on the thread that polls. */
  void lookForLoss() {}

  /** Messages of this pass that are done. */
  abstract long messages();

  /** Messages on all connections since they were made. */
  abstract long messagesEver();

  /** Messages on one connection since it was made. */
  abstract long messagesOn(int connection);

  final boolean isRated() {
    return intervalNs > 0;
  }

  /** When the next message is to start, at the fixed rate that was asked for. */
  final long nextDueNs() {
    return rateStartNs + (long) (rateIndex * intervalNs);
  }

  final void advanceRate() {
    rateIndex++;
  }

  final void progressed() {
    progress = messagesEver();
  }

  final void finish(long nowNs) {
    endNs = nowNs;
    progressed();
    end();
  }

  private void end() {
    if (!finished) {
      finished = true;
      passesDone++;
    }
  }

  final boolean isFinished() {
    return finished;
  }

  /** Passes that have ended, one way or the other; any thread. */
  final long passesDone() {
    return passesDone;
  }

  /** A number that grows while the test proceeds; any thread. */
  final long progress() {
    return progress;
  }

  /** Why the pass ended early, or null. */
  final String failure() {
    return failure;
  }

  final void fail(String why) {
    if (failure == null) {
      failure = why;
    }
    end();
  }

  /** Whether it went well; otherwise the pass has failed. */
  final boolean check(WorkCompletion wc) {
    if (wc.isSuccess()) {
      return true;
    }
    fail(p.test().cliName() + " failed after " + messagesEver() + " messages: a " + p.sizeBytes() + "-byte request completed with "
        + wc.status());
    return false;
  }

  final void wrong(long message, String what) {
    if (wrong++ == 0) {
      firstError = "message " + message + " " + what;
    }
  }

  /** Messages that verification found wrong on this side. */
  final long wrongCount() {
    return wrong;
  }

  final String firstError() {
    return firstError;
  }

  /** Throws if the pass failed. */
  final void throwIfFailed() {
    if (failure != null) {
      throw new CommandFailure(failure);
    }
  }
}
