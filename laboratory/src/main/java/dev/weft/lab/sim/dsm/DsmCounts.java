package dev.weft.lab.sim.dsm;

import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.lab.kit.RecoveryMarks;
import java.util.LinkedHashMap;
import java.util.Map;

/** How often nodes took each branch of the protocol: the coverage of a sweep. */
final class DsmCounts {
  /** Counted only if programs use release consistency. */
  static final String REPAIRED = "updates to the group repaired on a connection";
  static final String DROPPED = "datagram of updates dropped: late, or twice";

  private final Map<String, Long> counts = new LinkedHashMap<>();

  /** All counts at 0. */
  DsmCounts() {
    add(0, 0, 0, 0, 0, 0, 0);
    addMoves(0, 0);
    onLeaves(0);
  }

  void add(DsmSnapshot s) {
    add(s.homeForwards(), s.homeFetches(), s.homeInvalidations(), s.lostMinipages(), s.readFaults() + s.writeFaults(), s.deferrals(), s.graces());
    if (s.release() != null && s.release().multicasts() > 0) {
      counts.merge("updates sent to the group", s.release().multicasts(), Long::sum);
      counts.merge("node asked for updates to the group", s.release().asked(), Long::sum);
      counts.merge(REPAIRED, s.release().repairs(), Long::sum);
      counts.merge(DROPPED, s.release().datagramsDropped(), Long::sum);
    }
    addMoves(s.homeMoves(), s.sentOn());
  }

  private void add(long forwards, long fetches, long invalidations, long lost, long faults, long deferrals, long graces) {
    counts.merge("owner disturbed for data", forwards, Long::sum);
    counts.merge("copy read by RDMA", fetches, Long::sum);
    counts.merge("copy given up", invalidations, Long::sum);
    counts.merge("minipage lost with its node", lost, Long::sum);
    counts.merge("thread waited for rights", faults, Long::sum);
    counts.merge("order of a home waited for a thread inside", deferrals, Long::sum);
    counts.merge("order of a home waited for a thread that was served", graces, Long::sum);
  }

  private void addMoves(long moves, long sentOn) {
    counts.merge("home moved to a writer", moves, Long::sum);
    counts.merge("request sent on to a home that had moved", sentOn, Long::sum);
  }

  void onLeaves(int leaves) {
    counts.merge("node left while others worked", (long) leaves, Long::sum);
  }

  RecoveryMarks marks() {
    return new RecoveryMarks(counts);
  }
}
