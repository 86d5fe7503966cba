package dev.weft.pager.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class SparseMapTest {
  private static final int BLOCK = SparseMap.BLOCK_BYTES;

  @Test
  void shouldLeaveZerosAroundAPartialWriteIntoDirtyMemory() {
    byte[] memory = new byte[2 * BLOCK];
    Arrays.fill(memory, (byte) 7);
    SparseMap map = map(memory, true);
    map.prepareWrite(100, 10);
    Arrays.fill(memory, 100, 110, (byte) 9);
    map.prepareRead(0, 2 * BLOCK);
    byte[] expected = new byte[2 * BLOCK];
    Arrays.fill(expected, 100, 110, (byte) 9);
    assertArrayEquals(expected, memory);
    assertEquals(1, map.allocatedBlocks());
  }

  @Test
  void shouldRefuseARangeOutsideTheArea() {
    SparseMap map = map(new byte[BLOCK], false);
    assertThrows(IndexOutOfBoundsException.class, () -> map.trim(1, BLOCK));
    assertThrows(IndexOutOfBoundsException.class, () -> map.prepareRead(-1, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> map.runAt(0, BLOCK + 1));
  }

  @Test
  void shouldAgreeWithAByteArrayWhenUsedAtRandom() {
    for (long seed = 0; seed < 150; seed++) {
      Random random = new Random(seed);
      int size = 1 + random.nextInt(200 * BLOCK);
      byte[] memory = new byte[size];
      boolean dirty = random.nextBoolean();
      if (dirty) {
        random.nextBytes(memory);
      }
      SparseMap map = map(memory, dirty);
      byte[] model = new byte[size];
      BitSet allocated = new BitSet();
      for (int step = 0; step < 150; step++) {
        int offset = random.nextInt(size);
        int length = 1 + random.nextInt(Math.min(size - offset, random.nextBoolean() ? 3 * BLOCK : size));
        step(random, map, memory, model, allocated, offset, length);
        assertEquals(allocated.cardinality(), map.allocatedBlocks(), "seed " + seed);
        map.prepareRead(offset, length);
        assertTrue(Arrays.equals(memory, offset, offset + length, model, offset, offset + length), "seed " + seed + " step " + step);
        checkRun(map, allocated, offset, length, seed);
      }
      map.prepareRead(0, size);
      assertArrayEquals(model, memory, "seed " + seed);
    }
  }

  private static void step(Random random, SparseMap map, byte[] memory, byte[] model, BitSet allocated, int offset, int length) {
    int first = offset / BLOCK;
    int end = (offset + length - 1) / BLOCK + 1;
    switch (random.nextInt(4)) {
      case 0 -> {
        byte[] data = new byte[length];
        random.nextBytes(data);
        map.prepareWrite(offset, length);
        System.arraycopy(data, 0, memory, offset, length);
        System.arraycopy(data, 0, model, offset, length);
        allocated.set(first, end);
      }
      case 1 -> {
        map.trim(offset, length);
        Arrays.fill(model, offset, offset + length, (byte) 0);
        for (int block = first; block < end; block++) {
          int blockEnd = Math.min((block + 1) * BLOCK, model.length);
          if (offset <= block * BLOCK && offset + length >= blockEnd) {
            allocated.clear(block);
          }
        }
      }
      case 2 -> {
        map.zeroAndAllocate(offset, length);
        Arrays.fill(model, offset, offset + length, (byte) 0);
        allocated.set(first, end);
      }
      default -> { }
    }
  }

  private static void checkRun(SparseMap map, BitSet allocated, int offset, int length, long seed) {
    boolean kind = allocated.get(offset / BLOCK);
    int at = offset;
    while (at < offset + length && allocated.get(at / BLOCK) == kind) {
      at = (at / BLOCK + 1) * BLOCK;
    }
    int run = Math.min(at, offset + length) - offset;
    assertEquals(kind ? run : -run, map.runAt(offset, length), "seed " + seed);
  }

  private static SparseMap map(byte[] memory, boolean dirty) {
    return new SparseMap(memory.length, dirty,
        (offset, length) -> Arrays.fill(memory, (int) offset, (int) (offset + length), (byte) 0));
  }
}
