package dev.weft.pvfs.store;

/** Bugs to be planted in a store; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code commit} in {@code commit}: nothing is synced before the answer. */
  static void doNotSync(MemoryDisk disk, Batch batch, boolean sync) {
    disk.commit(batch, false);
  }
}
