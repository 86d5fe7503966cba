package dev.weft.pager.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class RegionAllocatorTest {
  @Test
  void shouldTakeTheFirstRangeThatIsLongEnough() {
    RegionAllocator allocator = new RegionAllocator(100, 1);
    assertEquals(0, allocator.allocate(10));
    assertEquals(10, allocator.allocate(30));
    assertEquals(40, allocator.allocate(10));
    allocator.free(0, 10);
    allocator.free(10, 30);
    assertEquals(0, allocator.allocate(40), "the two neighbours must have merged");
  }

  @Test
  void shouldRefuseWhatIsNoFreeRangeAlthoughTheSumWouldDo() {
    RegionAllocator allocator = new RegionAllocator(30, 10);
    allocator.allocate(10);
    long middle = allocator.allocate(10);
    allocator.allocate(10);
    allocator.free(0, 10);
    allocator.free(20, 10);
    assertEquals(20, allocator.freeBytes());
    assertEquals(RegionAllocator.NONE, allocator.allocate(20));
    allocator.free(middle, 10);
    assertEquals(0, allocator.allocate(30));
  }

  @Test
  void shouldRefuseToFreeTwiceOrOutside() {
    RegionAllocator allocator = new RegionAllocator(1000, 10);
    long start = allocator.allocate(35);
    allocator.free(start, 35);
    assertThrows(IllegalStateException.class, () -> allocator.free(start, 35));
    assertThrows(IllegalArgumentException.class, () -> allocator.free(990, 20));
    assertThrows(IllegalArgumentException.class, () -> allocator.free(-10, 10));
    assertThrows(IllegalArgumentException.class, () -> allocator.free(5, 10));
    assertThrows(IllegalArgumentException.class, () -> allocator.allocate(0));
    assertThrows(IllegalArgumentException.class, () -> allocator.allocate(1001));
  }

  /** Against a bit for each granule, searched from the start. */
  @Test
  void shouldAgreeWithABitmapWhenUsedAtRandom() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int granules = 1 + random.nextInt(200);
      int granule = 1 + random.nextInt(8);
      RegionAllocator allocator = new RegionAllocator((long) granules * granule, granule);
      BitSet used = new BitSet();
      List<long[]> held = new ArrayList<>();
      for (int step = 0; step < 400; step++) {
        if (random.nextBoolean() && !held.isEmpty()) {
          long[] range = held.remove(random.nextInt(held.size()));
          allocator.free(range[0], range[1]);
          int first = (int) (range[0] / granule);
          used.clear(first, first + granulesOf(range[1], granule));
        } else {
          int length = 1 + random.nextInt(Math.max(1, granules * granule / 3));
          int need = granulesOf(length, granule);
          int expected = firstFit(used, granules, need);
          long start = allocator.allocate(length);
          assertEquals(expected < 0 ? RegionAllocator.NONE : (long) expected * granule, start, "seed " + seed);
          if (start >= 0) {
            used.set(expected, expected + need);
            held.add(new long[] {start, length});
          }
        }
        assertEquals((long) (granules - used.cardinality()) * granule, allocator.freeBytes(), "seed " + seed);
        assertEquals((long) largest(used, granules) * granule, allocator.largestFreeBytes(), "seed " + seed);
      }
      held.forEach(range -> allocator.free(range[0], range[1]));
      assertEquals(1, allocator.fragments(), "seed " + seed);
    }
  }

  private static int granulesOf(long length, int granule) {
    return (int) ((length + granule - 1) / granule);
  }

  private static int firstFit(BitSet used, int granules, int need) {
    for (int start = 0; start + need <= granules; start++) {
      int next = used.nextSetBit(start);
      if (next < 0 || next >= start + need) {
        return start;
      }
    }
    return -1;
  }

  private static int largest(BitSet used, int granules) {
    int largest = 0;
    int run = 0;
    for (int i = 0; i < granules; i++) {
      run = used.get(i) ? 0 : run + 1;
      largest = Math.max(largest, run);
    }
    return largest;
  }
}
