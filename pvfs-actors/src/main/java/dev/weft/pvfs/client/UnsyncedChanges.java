package dev.weft.pvfs.client;

import org.agrona.collections.Long2LongHashMap;

/**
 * Files of which one daemon has answered changes, and no sync that was sent after them: what it may lose. On the client's thread.
 *
 * <p>Bounds: so many files one by one. Of more, only below which number they all are; from then on every file below that counts as changed, since nobody
 * knows any more which of them were synced.
 */
final class UnsyncedChanges {
  /** 2 MiB of table for each daemon. */
  static final int FILES_MAX = 65_536;

  private final int filesMax;
  /** The last change of each, counted over all files. */
  private final Long2LongHashMap changes = new Long2LongHashMap(0);
  private long counted;
  /** Files below it may have been changed, beside those in the table; 0 for none. */
  private long othersBelow;

  UnsyncedChanges(int filesMax) {
    this.filesMax = filesMax;
  }

  /** A change of a file was answered. */
  void changed(long file) {
    counted++;
    if (changes.size() < filesMax || changes.containsKey(file)) {
      changes.put(file, counted);
    } else {
      othersBelow = Math.max(othersBelow, file + 1);
    }
  }

  /** Changes so far: a sync that is sent now is one of these. */
  long counted() {
    return counted;
  }

  /** A sync was answered that was sent after so many changes. */
  void synced(long file, long sentAfter) {
    if (changes.get(file) <= sentAfter) {
      changes.remove(file);
    }
  }

  boolean isEmpty() {
    return changes.isEmpty() && othersBelow == 0;
  }

  /** For people. */
  @Override
  public String toString() {
    return changes.size() + (changes.size() == 1 ? " file" : " files") + (othersBelow == 0 ? "" : ", and more files than are remembered");
  }

  /** They are lost: from now on there are none. */
  void moveTo(LostChanges losses) {
    losses.begin();
    changes.forEach((file, _) -> losses.lose(file));
    if (othersBelow > 0) {
      losses.loseBelow(othersBelow);
    }
    changes.clear();
    othersBelow = 0;
  }
}
