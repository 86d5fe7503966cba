package dev.weft.pvfs.daemon;

import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.FileTimes;
import org.agrona.collections.Long2LongHashMap;

/**
 * When clients last wrote objects, by their clocks. A client tells the manager when it closes the file; until then, or if the client has gone, the
 * time comes from here. Bound: {@link #OBJECTS_MAX} objects. Beyond that it starts anew, and the manager's time counts until the next write. One
 * thread.
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

  /** Returns 0 if it is unknown. */
  long of(long object) {
    return times.get(object);
  }
}
