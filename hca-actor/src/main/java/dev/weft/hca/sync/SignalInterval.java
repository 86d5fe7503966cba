package dev.weft.hca.sync;

import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.WorkRequest;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Asks for a completion now and then, at least twice in each queue full of requests: their completions bring the slots of the others
 * back. Any thread.
 */
final class SignalInterval {
  private final int interval;
  private final AtomicInteger posted = new AtomicInteger();

  SignalInterval(QueuePair qp) {
    interval = Math.max(1, qp.initAttr().maxSendWr() / 2);
  }

  /** Called for each request that is posted. */
  WorkRequest mark(WorkRequest request) {
    return Math.floorMod(posted.incrementAndGet(), interval) == 0 ? request.signaled() : request;
  }
}
