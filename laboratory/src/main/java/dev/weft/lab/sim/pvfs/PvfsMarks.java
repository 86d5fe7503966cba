package dev.weft.lab.sim.pvfs;

import dev.weft.lab.kit.RecoveryMarks;
import dev.weft.pvfs.client.ClientSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;

/** How often branches for errors and faults were taken. */
final class PvfsMarks {
  static final String NO_ROOM = "write ended for lack of memory";
  static final String GAVE_UP_DAEMON = "operation gave up waiting for a daemon";
  static final String GAVE_UP_MANAGER = "request gave up waiting for the manager";
  static final String DISK_FAILED = "request failed because of the disk";
  static final String CONNECTED_AGAIN = "connection to a daemon made again";
  static final String INTERRUPTED = "request was under way when a manager ended";
  static final String INLINE = "request inline";
  static final String FAST = "request by a lent buffer";
  static final String SERVER = "request by RDMA of the daemon";
  static final String LOCKED = "lock got at once";
  static final String LOCK_AWAITED = "lock that was waited for";
  static final String LOCK_REFUSED = "lock refused because somebody has it";
  static final String LOCK_LOST = "owner told that it has lost a lock";
  static final String DEADLOCK = "lock refused because it would wait for ever";
  static final String FORGER_REFUSED = "forger refused";
  static final String POWER_FAILED = "daemon with a disk lost power";
  static final String LOSS_TOLD = "sync told that changes may be lost";
  static final String SHORT = "read that met the end of the file";

  private final Map<String, Long> counts = new LinkedHashMap<>();

  PvfsMarks() {
    for (String mark : new String[] {NO_ROOM, GAVE_UP_DAEMON, GAVE_UP_MANAGER, DISK_FAILED, CONNECTED_AGAIN, INTERRUPTED, INLINE, FAST, SERVER, SHORT,
        POWER_FAILED, LOSS_TOLD, LOCKED, LOCK_AWAITED, LOCK_REFUSED, LOCK_LOST, DEADLOCK,
        FORGER_REFUSED}) {
      counts.put(mark, 0L);
    }
  }

  void add(String mark) {
    add(mark, 1);
  }

  void add(String mark, long count) {
    counts.merge(mark, count, Long::sum);
  }

  /** Adds the counts of a client. */
  void count(ClientSnapshot client) {
    add(INLINE, client.sentBy()[0]);
    add(FAST, client.sentBy()[1]);
    add(SERVER, client.sentBy()[2]);
    add(CONNECTED_AGAIN, client.daemons().stream().filter(ClientSnapshot.Daemon::isUp).mapToLong(ClientSnapshot.Daemon::losses).sum());
  }

  RecoveryMarks marks() {
    return new RecoveryMarks(counts);
  }
}
