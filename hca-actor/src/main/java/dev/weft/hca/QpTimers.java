package dev.weft.hca;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.time.FabricContext;
import java.util.ArrayList;
import java.util.List;

/** Deadlines of the queue pairs of one HCA, on one timer: the earliest. Confined to the hardware thread. */
final class QpTimers {
  private final FabricContext context;
  private final List<QueuePair> timed = new ArrayList<>();
  private ActorRef<HardwareMessage> actor;
  private long wakeNs = Long.MAX_VALUE;

  QpTimers(FabricContext context) {
    this.context = context;
  }

  /** Who gets {@link HcaActor.TimerFired}. */
  void start(ActorRef<HardwareMessage> hcaActor) {
    actor = hcaActor;
  }

  /** The requester's deadline has changed. */
  void changed(QueuePair qp) {
    if (qp.requester.deadlineNs == Requester.NEVER) {
      return;
    }
    if (!qp.timed) {
      qp.timed = true;
      timed.add(qp);
    }
    wakeAt(qp.requester.deadlineNs);
  }

  void remove(QueuePair qp) {
    timed.remove(qp);
  }

  private void wakeAt(long deadlineNs) {
    if (deadlineNs < wakeNs) {
      wakeNs = deadlineNs;
      context.timers().at(deadlineNs, actor, new HcaActor.TimerFired(deadlineNs));
    }
  }

  void onTimer(long deadlineNs) {
    if (deadlineNs != wakeNs) {
      return;
    }
    wakeNs = Long.MAX_VALUE;
    long nowNs = context.clock().nowNs();
    long earliest = Long.MAX_VALUE;
    int kept = 0;
    List<QueuePair> due = new ArrayList<>();
    for (QueuePair qp : timed) {
      long deadline = qp.requester.deadlineNs;
      if (deadline == Requester.NEVER) {
        qp.timed = false;
        continue;
      }
      timed.set(kept++, qp);
      if (deadline <= nowNs) {
        due.add(qp);
      } else {
        earliest = Math.min(earliest, deadline);
      }
    }
    timed.subList(kept, timed.size()).clear();
    if (earliest != Long.MAX_VALUE) {
      wakeAt(earliest);
    }
    for (QueuePair qp : due) {
      qp.requester.onDeadline(nowNs);
      changed(qp);
    }
  }
}
