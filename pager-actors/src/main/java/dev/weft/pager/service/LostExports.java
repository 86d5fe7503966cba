package dev.weft.pager.service;

import dev.weft.service.Alarm;
import dev.weft.service.CommandFailure;
import dev.weft.service.StatusTable;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The lost exports: those of joined JVMs that the fabric has removed because they were silent or have died. Their data is lost, and an alarm reports that
 * until the user ends it by {@code weft pager forget}. If a JVM leaves in order, its export is not lost: its user has asked for that. Any thread.
 */
final class LostExports {
  static final String EXPORT_LOST = "EXPORT_LOST";
  private static final int MAX = 32;

  private record Gone(String jvm, long bytes, Instant at) {}

  private final Map<String, Gone> withdrawn = new LinkedHashMap<>(); // guarded by this; by name, oldest first
  private final Set<String> removed = new LinkedHashSet<>(); // guarded by this; oldest first

  /** Records an export that is no longer served because its node has left the fabric. */
  synchronized void withdrawn(String name, String jvm, long bytes, Instant at) {
    withdrawn.put(name, new Gone(jvm, bytes, at.truncatedTo(ChronoUnit.SECONDS)));
    if (withdrawn.size() > MAX) {
      withdrawn.remove(withdrawn.keySet().iterator().next());
    }
  }

  /** Records a JVM that the fabric has removed and that has not left by itself. The call may come before or after {@code withdrawn}. */
  synchronized void removed(String jvm) {
    removed.add(jvm);
    if (removed.size() > MAX) {
      removed.remove(removed.iterator().next());
    }
  }

  synchronized List<Alarm> alarms() {
    List<Alarm> found = new ArrayList<>();
    withdrawn.forEach((name, gone) -> {
      if (removed.contains(gone.jvm())) {
        found.add(Alarm.error(EXPORT_LOST, PagerService.NAME, "export '" + name + "' is lost with its " + StatusTable.bytes(gone.bytes())
            + " since " + gone.at() + ": the fabric removed its JVM " + gone.jvm() + "; './weft pager forget " + name + "' ends this alarm"));
      }
    });
    return found;
  }

  /** Ends the alarm about a lost export. */
  synchronized List<String> forget(String name) {
    Gone gone = withdrawn.get(name);
    if (gone == null || !removed.contains(gone.jvm())) {
      throw new CommandFailure("no export '" + name + "' is lost; './weft status' names those that are");
    }
    withdrawn.remove(name);
    return List.of("The loss of export '" + name + "' is no alarm any more.");
  }
}
