package dev.weft.hca.memory;

/**
 * Bugs to be planted in place of a call of the memory; each method has the parameters of the call that it replaces, with the
 * receiver first. Loaded together with the memory by a class loader of its own, so that nothing of this is in the main tree.
 */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code unbind} in {@code MemoryWindows}: the key of a window that was taken back stays good. */
  static void keepBinding(MemoryWindows windows, Mw window) {}

  /** Instead of {@code MrTable.remove} in {@code MemoryVerbs.reregister}: the former key of a region stays good. */
  static void keepFormerKey(MrTable memory, Mr region) {}
}
