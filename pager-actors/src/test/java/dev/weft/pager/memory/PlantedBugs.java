package dev.weft.pager.memory;

import java.lang.reflect.Method;

/** Bugs to be planted in the map of an area; each method has the parameters of the call that it replaces. */
public final class PlantedBugs {
  private PlantedBugs() {}

  /** Instead of {@code punch} in {@code trim}: one block too many becomes a hole. */
  static void punchOneMore(SparseMap map, int from, int to) throws ReflectiveOperationException {
    Method punch = SparseMap.class.getDeclaredMethod("punch", int.class, int.class);
    punch.setAccessible(true);
    int blocks = (int) ((map.sizeBytes() + SparseMap.BLOCK_BYTES - 1) / SparseMap.BLOCK_BYTES);
    punch.invoke(map, from, Math.min(to + 1, blocks));
  }

  /** Instead of {@code zero} in {@code zeroAndAllocate}: the last sector keeps what it held. */
  static void zeroOneSectorLess(SparseMap.Zeroer zeroer, long offset, long length) {
    zeroer.zero(offset, length - 512);
  }

  /** Instead of {@code clean} in {@code allocate}: what surrounds new data in a block is not zeroed. */
  static void keepSurroundings(SparseMap map, int block) throws ReflectiveOperationException {}
}
