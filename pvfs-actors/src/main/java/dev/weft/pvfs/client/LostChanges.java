package dev.weft.pvfs.client;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * Files that daemons have lost changes of, for all that a client knows: who has one open to be written is told by its next sync, once. Where nobody was
 * told, who opens it next to write is told. Any thread.
 *
 * <p>Bounds: so many files one by one. Of more, only below which number they all are; then each open file below that is told once, whether it lost something
 * or not, however often it is opened.
 */
final class LostChanges {
  /** Some 4 MiB. */
  static final int FILES_MAX = 65_536;

  private static final class Lost {
    /** The last loss. */
    long loss;
    /** The last one that somebody was told of. */
    long told;
  }

  private final int filesMax;
  private final Long2ObjectHashMap<Lost> files = new Long2ObjectHashMap<>();
  /** Counted. */
  private long losses;
  private long othersLoss;
  private long othersBelow;

  LostChanges(int filesMax) {
    this.filesMax = filesMax;
  }

  /** A daemon has lost something; the files follow. */
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

  /** Nobody knows which ones. */
  synchronized void loseBelow(long file) {
    othersBelow = Math.max(othersBelow, file);
    othersLoss = losses;
  }

  /** Null where there is no room. */
  private Lost lost(long file) {
    Lost lost = files.get(file);
    if (lost == null && files.size() < filesMax) {
      lost = new Lost();
      files.put(file, lost);
    }
    return lost;
  }

  /** For who opens a file to write. */
  synchronized LossWatch watch(long file) {
    Lost lost = files.get(file);
    return new LossWatch(this, file, lost == null ? 0 : lost.told);
  }

  /** The loss that who was told of that one is to be told of; 0 for none. */
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
