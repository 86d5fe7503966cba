package dev.weft.dsm.sharing;

import dev.weft.dsm.wire.ObjectSpec;
import org.agrona.collections.Int2IntCounterMap;

/** Counters of the minipages of an array whose home is one node. */
final class ArrayCounters {
  private static final int NODES_MAX = 64;

  final ObjectSpec spec;
  final String site;
  long readFaults;
  long writeFaults;
  long invalidations;
  long pingPongs;
  long bytesMoved;
  /** How often a node took a minipage from another one: {@code taker * 64 + victim}. At most 64 times 64 entries. */
  final Int2IntCounterMap taken = new Int2IntCounterMap(0);

  ArrayCounters(ObjectSpec spec, String site) {
    this.spec = spec;
    this.site = site;
  }

  void took(int taker, long victims) {
    for (long left = victims; left != 0; left &= left - 1) {
      taken.incrementAndGet(taker * NODES_MAX + Long.numberOfTrailingZeros(left));
    }
  }

  static int taker(int key) {
    return key / NODES_MAX;
  }

  static int victim(int key) {
    return key % NODES_MAX;
  }
}
