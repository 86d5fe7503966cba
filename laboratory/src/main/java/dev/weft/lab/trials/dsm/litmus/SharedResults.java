package dev.weft.lab.trials.dsm.litmus;

import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;

/**
 * Results of threads in several JVMs: each thread has rows of its own, and writes them to its own part of shared memory before a barrier. If shared
 * memory loses what was written before a barrier, cells without a value show that.
 */
final class SharedResults implements Results {
  private static final long NOTHING = Long.MIN_VALUE;

  private final String name;
  private final SharedLongs parts;
  private final int parties;
  private final int cells;
  private final long[] mine;

  SharedResults(SharedSpace space, String name, int parties, int cells) {
    this.name = name;
    this.parties = parties;
    this.cells = cells;
    this.parts = space.longs(name + "-results", 2L * parties * cells, SharingUnit.elements(cells));
    this.mine = new long[cells];
  }

  @Override
  public long[] toFill(int thread, long batch) {
    Arrays.fill(mine, NOTHING);
    return mine;
  }

  private long at(int thread, long batch) {
    return ((batch & 1) * parties + thread) * cells;
  }

  @Override
  public void filled(int thread, long batch) {
    parts.write(at(thread, batch), mine, 0, cells);
  }

  @Override
  public long[] all(long batch) {
    long[] all = new long[cells];
    long[] part = new long[cells];
    Arrays.fill(all, NOTHING);
    for (int thread = 0; thread < parties; thread++) {
      parts.read(at(thread, batch), part, 0, cells);
      for (int i = 0; i < cells; i++) {
        if (part[i] != NOTHING) {
          all[i] = part[i];
        }
      }
    }
    return all;
  }

  /** Checks that a row of {@link #all} is complete. */
  static void checkRow(String name, long value) {
    if (value == NOTHING) {
      throw new IllegalStateException(name + ": what a thread wrote before a barrier is not there after it");
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
