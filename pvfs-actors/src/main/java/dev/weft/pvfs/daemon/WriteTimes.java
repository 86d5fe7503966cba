package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.FileTimes;
import org.agrona.collections.Long2LongHashMap;

/**
 * When clients have written objects last, by their clocks: a manager learns it when they close the file, everybody else from here, also when they are gone.
 * Bound: {@link #OBJECTS_MAX} objects; where more are written it begins anew, and the manager's time counts until the next write. One thread.
 */
final class WriteTimes {
  static final int OBJECTS_MAX = 1 << 18;
  private static final long UNKNOWN = 0;

  private final Long2LongHashMap times = new Long2LongHashMap(UNKNOWN);

  /** A request was done. */
  void done(DaemonRequest request) {
    if (request.wroteNs != 0) {
      long last = times.get(request.object);
      if (times.size() >= OBJECTS_MAX) {
        times.clear();
      }
      times.put(request.object, FileTimes.next(last, request.wroteNs));
    }
    if (request.op == DaemonOp.REMOVE) {
      times.remove(request.object);
    }
  }

  /** 0 if it is not known. */
  long of(long object) {
    return times.get(object);
  }
}
