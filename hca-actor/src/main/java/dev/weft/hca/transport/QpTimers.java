package dev.weft.hca.transport;

import akka.actor.typed.ActorRef;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.time.FabricContext;
import java.util.ArrayList;
import java.util.List;

/** The deadlines of all queue pairs of one HCA. One timer serves them; it is set to the earliest deadline. Used on the hardware thread only. */
public final class QpTimers {
  private final FabricContext context;
  private final List<Qp> timed = new ArrayList<>();
  private ActorRef<HardwareMessage> actor;
  private long wakeNs = Long.MAX_VALUE;

  public QpTimers(FabricContext context) {
    this.context = context;
  }

  /** Sets the actor that receives {@link QueueMessage.TimerFired}. */
  public void start(ActorRef<HardwareMessage> hcaActor) {
    actor = hcaActor;
  }

  /** Handles a changed deadline of the requester. */
  public void changed(Qp qp) {
    if (qp.requester.deadlineNs == Requester.NEVER) {
      return;
    }
    if (!qp.timed) {
      qp.timed = true;
      timed.add(qp);
    }
    wakeAt(qp.requester.deadlineNs);
  }

  public void remove(Qp qp) {
    timed.remove(qp);
  }

  private void wakeAt(long deadlineNs) {
    if (deadlineNs < wakeNs) {
      wakeNs = deadlineNs;
      context.timers().at(deadlineNs, actor, new QueueMessage.TimerFired(deadlineNs));
    }
  }

  public void onTimer(long deadlineNs) {
    if (deadlineNs != wakeNs) {
      return;
    }
    wakeNs = Long.MAX_VALUE;
    long nowNs = context.clock().nowNs();
    long earliest = Long.MAX_VALUE;
    int kept = 0;
    List<Qp> due = new ArrayList<>();
    for (Qp qp : timed) {
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
    for (Qp qp : due) {
      qp.requester.onDeadline(nowNs);
      changed(qp);
    }
  }
}
