package dev.weft.tripwire.cam;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weft.fabric.seeds.Seeds;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
@Tag("simulation")
@Execution(ExecutionMode.CONCURRENT)
class RangeIndexTest {
  /** Lengths that put ends on, before and behind edges of words, lines, pages and blocks. */
  private static long length(SplittableRandom random) {
    long edge = 1L << random.nextInt(0, 30);
    return Math.max(1, random.nextBoolean() ? edge + random.nextInt(-2, 3) : random.nextLong(1, edge + 1));
  }

  private static TreeSet<Integer> found(RangeIndex index, long start, long end) {
    TreeSet<Integer> ids = new TreeSet<>();
    int count = index.match(start, end);
    for (int i = 0; i < count; i++) {
      ids.add(index.matched(i));
    }
    assertEquals(count, ids.size(), "each once");
    return ids;
  }

  static LongStream seeds() {
    return Seeds.of(RangeIndexTest.class, "tripwire-index", 1, 8, 8).stream();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldFindWhatALookAtEveryRangeFinds(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RangeIndex index = new RangeIndex(300);
    Map<Integer, long[]> model = new TreeMap<>();
    long space = 1L << random.nextInt(8, 34);
    for (int step = 0; step < 20_000; step++) {
      int id = random.nextInt(300);
      long start = random.nextLong(space);
      long end = start + length(random);
      if (random.nextInt(3) == 0) {
        if (model.remove(id) != null) {
          index.remove(id);
        } else {
          index.add(id, start, end);
          model.put(id, new long[] {start, end});
        }
      } else {
        long to = start + Math.min(end - start, 1 << 18);
        TreeSet<Integer> want = new TreeSet<>();
        model.forEach((key, range) -> {
          if (range[0] < to && start < range[1]) {
            want.add(key);
          }
        });
        assertEquals(want, found(index, start, to), "seed " + seed + " step " + step);
      }
    }
  }

  @Test
  void shouldKeepARangeOfATerabyteInFewEntries() {
    RangeIndex index = new RangeIndex(1);
    index.add(0, 1, (1L << 40) - 1);
    assertEquals(0, index.match(0, 1));
    assertEquals(1, index.match(1, 2));
    assertEquals(1, index.match((1L << 39) + 12_345, (1L << 39) + 12_346));
    assertEquals(0, index.match((1L << 40) - 1, 1L << 40));
    index.remove(0);
    assertEquals(0, index.match(0, 1 << 20));
  }

  @Test
  void shouldRefuseWhatIsNoRange() {
    RangeIndex index = new RangeIndex(1);
    assertThrows(IllegalArgumentException.class, () -> index.add(0, 8, 8));
    assertThrows(IllegalArgumentException.class, () -> index.add(0, -1, 8));
    assertThrows(IllegalStateException.class, () -> index.remove(0));
  }
}
