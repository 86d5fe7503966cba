package dev.weft.pvfs.daemon;

/** An object in use. One thread. */
final class LocalObject {
  final long number;
  final Disk.File data;
  final SumTable sums;
  /** Length that clients see, as the last finished write has left it. */
  long bytes;
  /** Length of the file, which is greater while a write is under way. */
  long fileBytes;
  /** Writes that have begun and not ended. */
  int writing;
  /** A write has failed: data beyond the length is dropped when no other write is under way. */
  boolean isTainted;
  /** The object was created since it was opened, and its name is not synced. */
  boolean isNew;
  /** Its present state may not be on the disk; for an object of an earlier run this is unknown. */
  boolean isUnsynced = true;
  /** It was changed in this run, and not synced since. */
  boolean isChanged;
  /** A sync of it has failed: the state of the disk is unknown. */
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
