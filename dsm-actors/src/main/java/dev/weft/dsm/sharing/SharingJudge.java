package dev.weft.dsm.sharing;

import java.util.TreeSet;

/** Decides whether nodes share words of a minipage or only the minipage, and which smaller unit would keep them apart. No state. */
final class SharingJudge {
  /** Least number of ping-pongs for a verdict. */
  static final int PING_PONGS_MIN = 4;
  /** A verdict needs this many times more faults of one kind than of the other. */
  static final int MAJORITY = 9;
  private static final int PARTS_MAX = 64;
  private static final int UNIT_BYTES_MIN = 8;

  /** The verdict. */
  enum Sharing {
    /** Only one node, or too little data. */
    NONE,
    /** Nodes want different words, and take them from each other because they are in one minipage. */
    FALSE,
    /** Nodes want the same words. */
    TRUE,
    /** Both happen. */
    MIXED
  }

  private SharingJudge() {}

  static Sharing judge(long pingPongs, WordTouches touches) {
    if (touches == null || pingPongs < PING_PONGS_MIN || touches.nodes() < 2 || touches.shared() + touches.apart() == 0) {
      return Sharing.NONE;
    }
    if (touches.apart() >= MAJORITY * touches.shared()) {
      return Sharing.FALSE;
    }
    return touches.shared() >= MAJORITY * touches.apart() ? Sharing.TRUE : Sharing.MIXED;
  }

  /**
   * The largest sharing unit in which no minipage has words of several nodes of which one writes; 0 if none is known. Candidates are powers of two
   * and parts of the present unit. Words that several nodes write, and readers of words that another node writes, are left out.
   *
   * @param index index of the minipage in its array, because minipages of another unit start elsewhere
   * @param strideBytes the present unit
   */
  static long unit(WordTouches touches, int index, long strideBytes) {
    int[] writers = new int[touches.chunks()];
    int[] touchers = new int[touches.chunks()];
    for (int chunk = 0; chunk < writers.length; chunk++) {
      boolean isContended = isContended(touches.writers(chunk), touches.touchers(chunk));
      boolean isOfOne = Integer.bitCount(touches.writers(chunk)) == 1; // A node that reads the word now and then need not be kept apart from it.
      writers[chunk] = isContended && !isOfOne ? 0 : touches.writers(chunk);
      touchers[chunk] = !isContended ? touches.touchers(chunk) : isOfOne ? touches.writers(chunk) : 0;
    }
    for (long unit : candidates(touches.chunkBytes(), strideBytes).descendingSet()) {
      if (separates(writers, touchers, index * strideBytes, touches.chunkBytes(), unit)) {
        return unit;
      }
    }
    return 0;
  }

  private static TreeSet<Long> candidates(long chunkBytes, long strideBytes) {
    TreeSet<Long> units = new TreeSet<>();
    for (long unit = UNIT_BYTES_MIN; unit < strideBytes && unit > 0; unit <<= 1) {
      units.add(unit);
    }
    for (int parts = 2; parts <= PARTS_MAX; parts++) {
      if (strideBytes % parts == 0) {
        units.add(strideBytes / parts);
      }
    }
    units.removeIf(unit -> unit < UNIT_BYTES_MIN || unit % UNIT_BYTES_MIN != 0 || unit % chunkBytes != 0);
    return units;
  }

  private static boolean separates(int[] writers, int[] touchers, long startBytes, long chunkBytes, long unit) {
    long block = -1;
    int writing = 0;
    int touching = 0;
    for (int chunk = 0; chunk < writers.length; chunk++) {
      long at = (startBytes + chunk * chunkBytes) / unit;
      if (at != block) {
        block = at;
        writing = 0;
        touching = 0;
      }
      writing |= writers[chunk];
      touching |= touchers[chunk];
      if (isContended(writing, touching)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isContended(int writers, int touchers) {
    return writers != 0 && Integer.bitCount(touchers) > 1;
  }
}
