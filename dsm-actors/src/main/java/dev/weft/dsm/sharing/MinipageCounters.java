package dev.weft.dsm.sharing;

/** Counters of one minipage. */
final class MinipageCounters {
  static final int PAIRS_MAX = 4;

  final ArrayCounters array;
  final int index;
  long readFaults;
  long writeFaults;
  long invalidations;
  long pingPongs;
  long bytesMoved;
  /** Null until the first ping-pong. */
  WordTouches touches;
  /** Bit n: a write of another node took the minipage from node n, which has not had it since. */
  long takenFrom;
  /** The last takers and victims, in a ring; the taker is in the upper half. */
  private final short[] pairs = new short[PAIRS_MAX];
  private int pairCount;

  MinipageCounters(ArrayCounters array, int index) {
    this.array = array;
    this.index = index;
  }

  /** Returns whether the node gets back a minipage that another node took from it. */
  boolean served(int node, long victims) {
    boolean isBack = (takenFrom & 1L << node) != 0;
    takenFrom = (takenFrom | victims) & ~(1L << node);
    for (long left = victims; left != 0; left &= left - 1) {
      pairs[pairCount++ % PAIRS_MAX] = (short) (node << Byte.SIZE | Long.numberOfTrailingZeros(left));
    }
    return isBack;
  }

  int pairs() {
    return Math.min(pairCount, PAIRS_MAX);
  }

  /** Taker of the nth last pair. */
  int taker(int nth) {
    return pairs[(pairCount - 1 - nth) % PAIRS_MAX] >> Byte.SIZE;
  }

  /** Victim of the nth last pair. */
  int victim(int nth) {
    return pairs[(pairCount - 1 - nth) % PAIRS_MAX] & 0xff;
  }

  /** Sort key of the worst minipages. */
  long trouble() {
    return pingPongs + invalidations;
  }
}
