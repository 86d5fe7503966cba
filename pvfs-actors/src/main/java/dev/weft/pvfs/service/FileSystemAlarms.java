package dev.weft.pvfs.service;

import dev.weft.pvfs.client.ClientSnapshot;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.manager.ManagerSnapshot;
import dev.weft.service.Alarm;
import dev.weft.service.StatusTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The alarms of a file system. No state; any thread. */
final class FileSystemAlarms {
  /** A daemon that restarts may be away so long without an alarm. */
  private static final long LONG_NS = 10_000_000_000L;
  /** A daemon counts as full if less than 1/32 of its space is free. */
  private static final int FULL_BELOW = 32;

  private FileSystemAlarms() {}

  static List<Alarm> of(ManagerSnapshot manager, ClientSnapshot client) {
    List<Alarm> found = new ArrayList<>();
    if (!manager.storeTrouble().isEmpty()) {
      found.add(Alarm.error("STORE_FAILS", PvfsService.NAME, "the manager cannot store changes of the file system: " + manager.storeTrouble()
          + "; free space or repair the disk. This alarm ends with the next change that succeeds"));
    }
    if (manager.oldestFailingNs() > LONG_NS) {
      found.add(Alarm.error("EFFECTS_WAIT", PvfsService.NAME, manager.effects() + " files wait to be removed or cut at I/O daemons,"
          + " the first for " + manager.oldestFailingNs() / 1_000_000_000L + " s; free space there, or check the daemons by 'weft pvfs ping'"));
    }
    client.daemons().stream().filter(daemon -> !daemon.isUp() && daemon.losses() > 1).forEach(daemon -> found.add(Alarm.error("DAEMON_AWAY",
        PvfsService.NAME, "I/O daemon " + daemon.node() + " is not reached: " + daemon.why() + "; requests for its stripes wait, then fail"
            + " with EIO. Check its JVM by 'weft status'; if the JVM has ended, start the fabric again")));
    client.daemons().stream().filter(ClientSnapshot.Daemon::hasLostAll).forEach(daemon -> found.add(Alarm.error("DAEMON_EMPTY", PvfsService.NAME,
        "I/O daemon " + daemon.node() + ", which keeps stripes in memory, was started anew: its stripes are lost and read as zeros; restore"
            + " the files, or start the fabric again with an empty file system")));
    return found;
  }

  static List<Alarm> of(Map<String, DaemonSnapshot> daemons) {
    List<Alarm> found = new ArrayList<>();
    daemons.forEach((node, daemon) -> {
      if (daemon.freeBytes() < daemon.memoryBytes() / FULL_BELOW) {
        found.add(Alarm.warning("DAEMON_FULL", Daemons.SERVICE, "I/O daemon " + node + " has " + StatusTable.bytes(daemon.freeBytes()) + " of "
            + StatusTable.bytes(daemon.memoryBytes()) + " free; without free space, writes to it fail with ENOSPC. Remove files;"
            + " a daemon on a disk notices the free space when it next uses the disk"));
      }
    });
    return found;
  }
}
