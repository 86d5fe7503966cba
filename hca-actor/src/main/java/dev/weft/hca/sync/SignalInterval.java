package dev.weft.hca.sync;

import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.WorkRequest;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Requests a completion at intervals, at least twice per send queue of requests. Each completion also frees the slots of the earlier requests. Any
 * thread.
 */
final class SignalInterval {
  private final int interval;
  private final AtomicInteger posted = new AtomicInteger();

  SignalInterval(QueuePair qp) {
    interval = Math.max(1, qp.initAttr().maxSendWr() / 2);
  }

  /** Marks a request as signaled if one is due; call it for each request. */
  WorkRequest mark(WorkRequest request) {
    return Math.floorMod(posted.incrementAndGet(), interval) == 0 ? request.signaled() : request;
  }
}
