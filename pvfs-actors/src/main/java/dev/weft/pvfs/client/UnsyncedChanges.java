package dev.weft.pvfs.client;

import org.agrona.collections.Long2LongHashMap;

/**
 * Files with changes that one daemon has acknowledged and that no later sync covers: the changes that it may lose. On the client's thread.
 *
 * <p>Bounds: a maximum number of files is listed one by one. For further files, this keeps only an upper bound of their numbers; from then on every
 * file below it counts as changed, since this does not record which of them were synced.
 */
final class UnsyncedChanges {
  /** 2 MiB of table for each daemon. */
  static final int FILES_MAX = 65_536;

  private final int filesMax;
  /** The number of the last change of each file, counted over all files. */
  private final Long2LongHashMap changes = new Long2LongHashMap(0);
  private long counted;
  /** Files below this number may have been changed, besides those in the table; 0 for none. */
  private long othersBelow;

  UnsyncedChanges(int filesMax) {
    this.filesMax = filesMax;
  }

  /** The daemon has acknowledged a change of a file. */
  void changed(long file) {
    counted++;
    if (changes.size() < filesMax || changes.containsKey(file)) {
      changes.put(file, counted);
    } else {
      othersBelow = Math.max(othersBelow, file + 1);
    }
  }

  /** Returns the number of changes so far; a sync that is sent now records it. */
  long counted() {
    return counted;
  }

  /** The daemon has answered a sync that was sent after so many changes. */
  void synced(long file, long sentAfter) {
    if (changes.get(file) <= sentAfter) {
      changes.remove(file);
    }
  }

  boolean isEmpty() {
    return changes.isEmpty() && othersBelow == 0;
  }

  /** Describes the files for people. */
  @Override
  public String toString() {
    return changes.size() + (changes.size() == 1 ? " file" : " files") + (othersBelow == 0 ? "" : ", and more files than are remembered");
  }

  /** Moves all files to the lost ones; none are left here. */
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
