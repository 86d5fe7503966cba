package dev.weft.pvfs.client;

import dev.weft.pvfs.wire.DaemonOp;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How long requests wait for daemons that cannot be reached. Requests for {@code STATFS} have no bound of their own; their tasks do. */
final class Patience {
  private final ClientSettings settings;
  private final CallBound bound;

  Patience(ClientSettings settings) {
    this.settings = settings;
    this.bound = new CallBound(settings.patienceNs());
  }

  /** Removes and returns the waiting requests of an unreachable daemon that have waited long enough. */
  List<DaemonTask> takeOverdue(DaemonLink link, long nowNs) {
    List<DaemonTask> overdue = link.waiting.stream().filter(part -> isBounded(part) && leftNs(link, part, nowNs) <= 0).toList();
    link.waiting.removeIf(new HashSet<>(overdue)::contains);
    return overdue;
  }

  /** Returns after which time to call {@link ClientCore#onTime}; negative if nothing waits for it. */
  long waitNs(List<DaemonLink> links, Set<IoTask> rooms, long nowNs) {
    long wait = Long.MAX_VALUE;
    for (DaemonLink link : links) { // Runs after every message.
      if (link.isUnsure) {
        wait = Math.min(wait, settings.reconnectNs());
      }
      if (!link.isUp()) {
        for (DaemonTask part : link.waiting) {
          wait = isBounded(part) ? Math.min(wait, leftNs(link, part, nowNs)) : wait;
        }
      }
    }
    for (IoTask room : rooms) {
      wait = Math.min(wait, settings.statfsPatienceNs() - (nowNs - room.beganNs));
    }
    return wait == Long.MAX_VALUE ? -1 : Math.max(wait, 0);
  }

  private static boolean isBounded(DaemonTask part) {
    return part.op != DaemonOp.STATFS;
  }

  private long leftNs(DaemonLink link, DaemonTask part, long nowNs) {
    return bound.leftNs(nowNs, part.task.beganNs, link.lostNs);
  }
}
