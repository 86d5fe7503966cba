package dev.weft.launcher.http;

import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.QpState;
import dev.weft.service.Alarm;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Finds the alarms of a queue pair; they say what its program should do. No state; any thread. */
final class QueuePairAlarms {
  /** Time after which a wait is no longer ordinary traffic. */
  static final long STALLED_AFTER_NS = 2_000_000_000L;

  private QueuePairAlarms() {}

  /** @param at path of its element, such as {@code nodes/a/qps/17} */
  static List<Alarm> of(HcaSnapshot.Qp qp, String at) {
    List<Alarm> found = new ArrayList<>();
    if (qp.state() == QpState.ERR || qp.state() == QpState.SQE) {
      found.add(ended(qp, at));
    } else if (qp.stall().ns() >= STALLED_AFTER_NS) {
      found.add(stalled(qp, at));
    }
    if (qp.retryBudgetNs() > 0 && qp.silenceMaxNs() >= qp.retryBudgetNs() / 2) {
      found.add(Alarm.warning("RETRIES_HIGH", at, String.format(Locale.ROOT,
          "queue pair %d waited %.2f s for an answer and used %d retries; it fails after %.2f s", qp.number(), qp.silenceMaxNs() / 1e9,
          qp.retriesMost(), qp.retryBudgetNs() / 1e9)));
    }
    return found;
  }

  private static Alarm ended(HcaSnapshot.Qp qp, String at) {
    String kind = "QP_" + qp.state();
    String subject = "queue pair " + qp.number() + peer(qp);
    return qp.failure().isEmpty()
        ? Alarm.warning(kind, at, subject + " is in " + qp.state() + ": its program or its peer ended the connection; destroy it or reset it")
        : Alarm.error(kind, at, subject + " is in " + qp.state() + ": it failed with " + qp.failure() + "; destroy it, or reset and connect it");
  }

  private static Alarm stalled(HcaSnapshot.Qp qp, String at) {
    String kind = qp.stall().cause().name();
    String text = String.format(Locale.ROOT, "queue pair %d%s has waited for %.1f s: ", qp.number(), peer(qp), qp.stall().ns() / 1e9);
    return switch (qp.stall().cause()) {
      case RNR_STALLED -> Alarm.error(kind, at, text + "the peer has no receive posted for the next of " + qp.sendQueue()
          + " requests; post receives there");
      case RECEIVE_MISSING -> Alarm.error(kind, at, text + "the peer sends and no receive is posted here; post receives");
      case WINDOW_FULL -> Alarm.error(kind, at, text + "the peer gives no credit for another packet; pages of its memory are absent");
      case PEER_SILENT -> Alarm.error(kind, at, text + "the peer does not acknowledge; " + qp.retriesLeft() + " retries are left; check whether its JVM runs");
      case CQ_NOT_POLLED -> Alarm.warning(kind, at, text + "all " + qp.sendQueueMax()
          + " requests of its send queue are complete; poll its completion queue");
      case NONE -> throw new IllegalStateException("a queue pair that moves is not stalled: " + qp);
    };
  }

  private static String peer(HcaSnapshot.Qp qp) {
    return qp.destLid() == 0 ? "" : " to LID " + qp.destLid() + " QP " + qp.destQpNum();
  }
}
