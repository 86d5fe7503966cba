package dev.weft.pvfs.client;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * Files whose changes daemons have lost, as far as a client knows. A program that has such a file open for writing learns it at its next sync, once.
 * If no program has learned it, the next one that opens the file for writing does. Any thread.
 *
 * <p>Bounds: a maximum number of files is listed one by one. For further files, this keeps only an upper bound of their numbers. Each open file below
 * that bound then gets one report, whether it lost something or not, however often it is opened.
 */
final class LostChanges {
  /** About 4 MiB. */
  static final int FILES_MAX = 65_536;

  private static final class Lost {
    /** The latest loss of the file. */
    long loss;
    /** The latest loss that was reported. */
    long told;
  }

  private final int filesMax;
  private final Long2ObjectHashMap<Lost> files = new Long2ObjectHashMap<>();
  /** The number of losses so far. */
  private long losses;
  private long othersLoss;
  private long othersBelow;

  LostChanges(int filesMax) {
    this.filesMax = filesMax;
  }

  /** A daemon has lost changes; calls that name the files follow. */
  synchronized void begin() {
    losses++;
  }

  synchronized void lose(long file) {
    Lost lost = lost(file);
    if (lost == null) {
      loseBelow(file + 1);
    } else {
      lost.loss = losses;
    }
  }

  /** Any file below this number may have lost changes. */
  synchronized void loseBelow(long file) {
    othersBelow = Math.max(othersBelow, file);
    othersLoss = losses;
  }

  /** Returns the entry of a file; null if there is no room. */
  private Lost lost(long file) {
    Lost lost = files.get(file);
    if (lost == null && files.size() < filesMax) {
      lost = new Lost();
      files.put(file, lost);
    }
    return lost;
  }

  /** Begins to watch a file that is opened for writing. */
  synchronized LossWatch watch(long file) {
    Lost lost = files.get(file);
    return new LossWatch(this, file, lost == null ? 0 : lost.told);
  }

  /** Returns the loss to report to a program that was told of {@code toldBefore}; 0 for none. */
  synchronized long tell(long file, long toldBefore) {
    Lost known = files.get(file);
    long loss = Math.max(known == null ? 0 : known.loss, file < othersBelow ? othersLoss : 0);
    if (loss <= toldBefore) {
      return 0;
    }
    Lost lost = lost(file);
    if (lost != null) {
      lost.told = loss;
    }
    return loss;
  }
}
