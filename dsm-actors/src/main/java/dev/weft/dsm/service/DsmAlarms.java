package dev.weft.dsm.service;

import dev.weft.dsm.report.DsmReport;
import dev.weft.service.Alarm;
import java.util.ArrayList;
import java.util.List;

/** The alarms of a node of shared memory. No state; any thread. */
final class DsmAlarms {
  private DsmAlarms() {}

  /** @param alarmAfterMs a longer wait raises an alarm, in milliseconds */
  static List<Alarm> of(DsmReport report, long alarmAfterMs) {
    List<Alarm> found = new ArrayList<>();
    String space = "shared memory \"" + report.node().space() + "\"";
    String here = "node " + report.node().number() + " (" + report.nodeName() + ")";
    for (DsmReport.FaultUnderWay fault : report.faults()) {
      if (fault.ageMs() > alarmAfterMs) {
        found.add(error("FAULT_WAITS", space + ": " + fault.threads() + " threads of " + here + " wait " + fault.ageMs() + " ms to " + fault.wants() + " "
            + fault.what() + ", whose home is node " + fault.home() + "; check the JVM of that node"));
      }
    }
    for (DsmReport.Lock lock : report.locks()) {
      if (lock.holderLost()) {
        found.add(error("LOCK_HOLDER_LOST", space + ": the node that had lock \"" + lock.name() + "\" is lost; a thread of it may have held the lock,"
            + " so check the data that it protects. The alarm ends when a thread acquires the lock"));
      }
    }
    for (DsmReport.Barrier barrier : report.barriers()) {
      if (barrier.isBroken()) {
        found.add(error("BARRIER_BROKEN", space + ": barrier \"" + barrier.name() + "\" stays broken, because a lost node may have taken part;"
            + " use a barrier of another name, or start the shared memory again"));
      }
    }
    if (report.node().lostMinipages() > 0) {
      found.add(error("MINIPAGES_LOST", space + ": of " + report.node().lostMinipages() + " minipages of home " + here + " the only copy was on a lost"
          + " node; accesses to them fail. Free their arrays, allocate them again and restore the data"));
    }
    return found;
  }

  private static Alarm error(String kind, String text) {
    return Alarm.error(kind, DsmNodes.NAME, text);
  }
}
