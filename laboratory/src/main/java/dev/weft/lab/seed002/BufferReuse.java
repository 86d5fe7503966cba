package dev.weft.lab.seed002;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Which buffer each operation uses, so that a cache of {@code cacheEntries} with least-recently-used eviction hits in the given share of
 * operations: a hit takes one of the most recently used buffers, a miss one never used before. The first operation misses.
 */
public final class BufferReuse {
  private BufferReuse() {}

  /** Buffer indices, below {@code operations}. */
  public static int[] sequence(int operations, int hitPercent, int cacheEntries, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean[] hits = hits(operations, hitPercent, random);
    int window = Math.max(1, cacheEntries / 2);
    List<Integer> recent = new ArrayList<>();
    int[] buffers = new int[operations];
    int fresh = 0;
    for (int i = 0; i < operations; i++) {
      int buffer = hits[i] ? recent.remove(/* index */ random.nextInt(recent.size())) : fresh++;
      buffers[i] = buffer;
      recent.add(buffer);
      if (recent.size() > window) {
        recent.removeFirst();
      }
    }
    return buffers;
  }

  /** The exact share, in random order after the first. */
  private static boolean[] hits(int operations, int hitPercent, SplittableRandom random) {
    boolean[] hits = new boolean[operations];
    int left = Math.min(operations - 1, (int) ((long) operations * hitPercent / 100));
    for (int i = 1; i < operations; i++) {
      if (random.nextInt(operations - i) < left) {
        hits[i] = true;
        left--;
      }
    }
    return hits;
  }
}
