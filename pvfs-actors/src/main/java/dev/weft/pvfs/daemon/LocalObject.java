package dev.weft.pvfs.daemon;

/** An object that is in use. One thread. */
final class LocalObject {
  final long number;
  final Disk.File data;
  final SumTable sums;
  /** As clients see it: as long as the last write that is over has left it. */
  long bytes;
  /** Of the file, which is longer while a write goes on. */
  long fileBytes;
  /** Writes that have begun and are not over. */
  int writing;
  /** A write has failed: what lies beyond the length goes when no other one is under way. */
  boolean isTainted;
  /** It was made since it was opened, and its name was not synced. */
  boolean isNew;
  /** It may not be on the disk as it is; that of an earlier run is not known. */
  boolean isUnsynced = true;
  /** It was changed in this run, and not synced since. */
  boolean isChanged;
  /** The disk has failed to sync it: what it has now nobody can say. */
  boolean syncFailed;

  LocalObject(long number, Disk.File data, SumTable sums) {
    this.number = number;
    this.data = data;
    this.sums = sums;
    fileBytes = data.bytes();
    bytes = fileBytes;
  }

  void changes() {
    isUnsynced = true;
    isChanged = true;
  }

  boolean mayClose() {
    return writing == 0 && !isTainted && !syncFailed && !sums.hasSyncFailed();
  }

  void close() {
    data.close();
    sums.close();
  }
}
