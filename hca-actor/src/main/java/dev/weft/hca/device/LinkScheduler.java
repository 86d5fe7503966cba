package dev.weft.hca.device;

import dev.weft.fabric.time.Clock;
import dev.weft.hca.transport.HcaCounters;
import dev.weft.hca.transport.Qp;
import dev.weft.hca.transport.QpStates;
import dev.weft.hca.transport.Turn;
import dev.weft.hca.verbs.QpState;
import java.util.ArrayDeque;

/**
 * Decides which queue pair sends next: the active queue pairs in turn, one burst each. Queue pairs without a link credit wait until credits arrive.
 * All data to send is state of a queue pair, not a queued packet (docs/internals/decisions/0003). Hardware thread.
 */
final class LinkScheduler {
  /** Number of consecutive responses of a queue pair before its own requests get a turn, so that a busy peer cannot block them for ever. */
  private static final int ANSWERS_MAX = 16;

  private final ArrayDeque<Qp> active = new ArrayDeque<>();
  private final ArrayDeque<Qp> later = new ArrayDeque<>();
  private final ArrayDeque<Qp> stalled = new ArrayDeque<>();
  private final Clock clock;
  private final int burst;
  private final HcaPort port;
  private final HcaCounters counters;
  private boolean pumping;
  private boolean flushScheduled;

  LinkScheduler(Clock clock, int burst, HcaPort port, HcaCounters counters) {
    this.clock = clock;
    this.burst = burst;
    this.port = port;
    this.counters = counters;
  }

  /** Activates the stalled queue pairs because credits have arrived or the link has changed. */
  void activateStalled() {
    for (Qp qp = stalled.poll(); qp != null; qp = stalled.poll()) {
      qp.turn().stalled = false;
      activate(qp);
    }
  }

  /** Activates a queue pair that has packets to send. */
  void activate(Qp qp) {
    if (!qp.turn().active) {
      qp.turn().active = true;
      active.add(qp);
    }
  }

  /** Activates a queue pair that owes an acknowledgement, but only after the packets that have already arrived are processed. */
  void activateLater(Qp qp) {
    if (!qp.turn().active && !qp.turn().later) {
      qp.turn().later = true;
      later.add(qp);
    }
  }

  void flushLater() {
    flushScheduled = false;
    for (Qp qp = later.poll(); qp != null; qp = later.poll()) {
      qp.turn().later = false;
      activate(qp);
    }
  }

  /**
   * Lets the active queue pairs send in turn, as far as windows and link credits allow. Called after each message.
   *
   * @return whether the caller must call {@link #flushLater} after processing the messages that have already arrived
   */
  boolean pump() {
    if (!active.isEmpty() && !pumping) {
      pumping = true;
      long nowNs = clock.nowNs();
      for (Qp qp = active.poll(); qp != null; qp = active.poll()) {
        qp.turn().active = false;
        transmit(qp, nowNs);
      }
      pumping = false;
    }
    if (!later.isEmpty() && !flushScheduled) {
      flushScheduled = true;
      return true;
    }
    return false;
  }

  private void transmit(Qp qp, long nowNs) {
    for (int left = burst; left > 0; left--) {
      if (!mayTransmit(qp)) {
        return;
      }
      boolean wanted = port.isUp() || qp.requester().waitsForLink();
      if (wanted && !port.maySend(port.laneOf(qp.requester().serviceLevel()))) {
        if (left == burst) {
          stall(qp, nowNs);
        } else {
          activate(qp); // It has had its turn, so others wait for credits before it.
        }
        return;
      }
      if (!transmitsOne(qp, nowNs)) {
        return;
      }
    }
    activate(qp);
  }

  /** Transmits one packet. Responses go first, because they are short and peers wait for them. */
  private static boolean transmitsOne(Qp qp, long nowNs) {
    Turn turn = qp.turn();
    boolean isRequestersTurn = turn.answers >= ANSWERS_MAX;
    if (isRequestersTurn) {
      turn.answers = 0;
      if (requesterTransmits(qp, nowNs)) {
        return true;
      }
    }
    if (qp.responder().transmitOne()) {
      turn.answers++;
      return true;
    }
    if (isRequestersTurn) {
      return false;
    }
    turn.answers = 0;
    return requesterTransmits(qp, nowNs);
  }

  private void stall(Qp qp, long nowNs) {
    counters.stalled();
    if (!qp.turn().stalled) {
      qp.turn().stalled = true;
      stalled.add(qp);
    }
    if (!port.isUp()) {
      qp.requester().onLinkDown(nowNs);
    }
  }

  private static boolean mayTransmit(Qp qp) {
    return !qp.isDestroyed() && (qp.responder().hasAnswer() || qp.state() == QpState.RTS || qp.state() == QpState.SQD);
  }

  private static boolean requesterTransmits(Qp qp, long nowNs) {
    if (qp.state() != QpState.RTS && qp.state() != QpState.SQD) {
      return false;
    }
    boolean hadNothing;
    do {
      hadNothing = qp.requester().allSent(); // Read before: later posts ring the doorbell only after sleepUnlessPosted.
      if (qp.requester().transmitOne(nowNs)) {
        return true;
      }
    } while ((hadNothing || qp.requester().allSent()) && qp.sleepUnlessPosted());
    if (qp.state() == QpState.ERR || qp.state() == QpState.SQE) {
      QpStates.flushRequester(qp); // The queue pair has just failed; requests posted since are flushed too.
    }
    return false;
  }
}
