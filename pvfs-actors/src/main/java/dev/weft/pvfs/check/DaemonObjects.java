package dev.weft.pvfs.check;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.client.DataClient;
import dev.weft.pvfs.client.IoTask;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Lists the local objects of the daemons, page by page. One thread. */
final class DaemonObjects {
  /** A local object. */
  record Found(int daemon, long object, long bytes) {}

  private static final int ENTRY_BYTES = 16;
  private static final int PAGE_BYTES = 2048;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final DataClient daemons;
  private final MemorySegment page = Arena.ofAuto().allocate(PAGE_BYTES);

  DaemonObjects(DataClient daemons) {
    this.daemons = daemons;
  }

  /** Adds all objects of a daemon to {@code found}; returns an errno. */
  int list(int daemon, List<Found> found) {
    long cookie = 0;
    do {
      IoTask task = daemons.list(daemon, cookie, page);
      if (task.errno() != Errno.OK) {
        return task.errno();
      }
      for (int at = 0; at < task.pageBytes(); at += ENTRY_BYTES) {
        found.add(new Found(daemon, page.get(LONG, at), page.get(LONG, at + Long.BYTES)));
      }
      cookie = task.nextCookie();
    } while (cookie != 0);
    return Errno.OK;
  }

  /** Whether the daemon has the object now. */
  boolean isThere(Found one) {
    IoTask task = daemons.list(one.daemon(), one.object() - 1, page.asSlice(0, ENTRY_BYTES));
    return task.errno() == Errno.OK && task.pageBytes() >= ENTRY_BYTES && page.get(LONG, 0) == one.object();
  }

  List<Found> all(int count, List<Problem> problems) {
    List<Found> all = new ArrayList<>();
    for (int daemon = 0; daemon < count; daemon++) {
      int errno = list(daemon, all);
      if (errno != Errno.OK) {
        problems.add(new Problem(Problem.NOT_CHECKED, "I/O daemon " + daemon + " does not list its objects: " + Errno.text(errno), false));
      }
    }
    return all;
  }
}
