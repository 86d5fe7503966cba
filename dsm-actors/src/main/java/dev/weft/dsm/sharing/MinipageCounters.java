package dev.weft.dsm.sharing;

/** What happened to one minipage. */
final class MinipageCounters {
  static final int PAIRS_MAX = 4;

  final ArrayCounters array;
  final int index;
  long readFaults;
  long writeFaults;
  long invalidations;
  long pingPongs;
  long bytesMoved;
  /** Null as long as nobody has got it back. */
  WordTouches touches;
  /** Bit n: a write of another node took it from node n, which has not had it since. */
  long takenFrom;
  /** The last who took it from whom, in a ring: node in the upper half. */
  private final short[] pairs = new short[PAIRS_MAX];
  private int pairCount;

  MinipageCounters(ArrayCounters array, int index) {
    this.array = array;
    this.index = index;
  }

  /** True if a node gets back what another one took from it. */
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

  /** Of the nth last. */
  int taker(int nth) {
    return pairs[(pairCount - 1 - nth) % PAIRS_MAX] >> Byte.SIZE;
  }

  /** Of the nth last. */
  int victim(int nth) {
    return pairs[(pairCount - 1 - nth) % PAIRS_MAX] & 0xff;
  }

  /** What it costs, for an order among minipages. */
  long trouble() {
    return pingPongs + invalidations;
  }
}
