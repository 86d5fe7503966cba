package dev.weft.perftest;

import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.WorkCompletion;
import dev.weft.service.CommandFailure;
import dev.weft.service.measure.LatencyRecorder;

/**
 * The near side of a test, driven by polling: each call handles completions and starts the messages that may start. Any thread may poll it,
 * one at a time. A pass has a number of messages or a duration; several passes use the same connections.
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
   * @param count messages per connection, or 0 if only the duration counts
   * @param durationNs how long messages are started, or 0 for no limit
   * @param recorder records the latencies; null while warming up
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

  /** Looks once and returns how much work it did. If a verb fails, the pass ends. */
  final int poll() {
    try {
      return look();
    } catch (VerbsException refused) {
      fail(p.test().cliName() + ": " + refused.getMessage());
      return 1;
    }
  }

  /** Does the work of {@link #poll}. */
  abstract int look();

  /** Returns the lost messages of this pass, as far as this side detects them. */
  long lost() {
    return 0;
  }

  /** If messages may be lost, gives up a message whose answer is overdue. Called on the thread that polls. */
  void lookForLoss() {}

  /** Returns the completed messages of this pass. */
  abstract long messages();

  /** Returns the completed messages on all connections since they were made. */
  abstract long messagesEver();

  /** Returns the completed messages on one connection since it was made. */
  abstract long messagesOn(int connection);

  final boolean isRated() {
    return intervalNs > 0;
  }

  /** Returns when the next message must start at the fixed rate. */
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

  /** Returns how many passes have ended, with or without success. Any thread. */
  final long passesDone() {
    return passesDone;
  }

  /** Returns a number that grows while the test makes progress. Any thread. */
  final long progress() {
    return progress;
  }

  /** Returns why the pass ended early, or null. */
  final String failure() {
    return failure;
  }

  final void fail(String why) {
    if (failure == null) {
      failure = why;
    }
    end();
  }

  /** Returns whether a completion is successful. If not, the pass fails. */
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

  /** Returns how many messages verification found wrong on this side. */
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
