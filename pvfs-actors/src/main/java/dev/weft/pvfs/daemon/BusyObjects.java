package dev.weft.pvfs.daemon;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts the traffic of the busiest objects. It has few places. A requested object moves towards the first place, and a new one takes the last, so
 * that objects without further requests drop out.
 */
final class BusyObjects {
  static final int PLACES = 64;
  private final long[] objects = new long[PLACES];
  private final long[] requests = new long[PLACES];
  private final long[] bytes = new long[PLACES];
  private int count;

  /** Counts a request that moves so many bytes of an object. */
  void count(long object, long moved) {
    int place = 0;
    while (place < count && objects[place] != object) {
      place++;
    }
    if (place == count) {
      place = count < PLACES ? count++ : PLACES - 1;
      set(place, object, 0, 0);
    }
    requests[place]++;
    bytes[place] += moved;
    if (place > 0) {
      long otherObject = objects[place - 1];
      long otherRequests = requests[place - 1];
      long otherBytes = bytes[place - 1];
      set(place - 1, object, requests[place], bytes[place]);
      set(place, otherObject, otherRequests, otherBytes);
    }
  }

  private void set(int place, long object, long requestCount, long moved) {
    objects[place] = object;
    requests[place] = requestCount;
    bytes[place] = moved;
  }

  /** Returns the first objects, at most {@code max}. */
  List<DaemonSnapshot.Busy> first(int max) {
    List<DaemonSnapshot.Busy> first = new ArrayList<>();
    for (int place = 0; place < Math.min(max, count); place++) {
      first.add(new DaemonSnapshot.Busy(objects[place], requests[place], bytes[place]));
    }
    return first;
  }
}
