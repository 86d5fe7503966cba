package dev.weft.pvfs.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.DataSums;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataSumTest {
  private final DataSum sums = new DataSum();
  private final RunningSum sum = new RunningSum();

  private static Ranges ranges(long... numbers) {
    Ranges all = new Ranges(DaemonRequest.RANGES_MAX);
    for (int i = 0; i < numbers.length; i += 2) {
      all.add(numbers[i], (int) numbers[i + 1]);
    }
    return all;
  }

  /** However it is cut into pieces, of our own memory, a program's, or zeros. */
  @Test
  void shouldBeTheSameHoweverTheDataIsCut() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 200; round++) {
      byte[] data = new byte[1 + random.nextInt(100_000)];
      random.nextBytes(data);
      MemorySegment memory = Arena.ofAuto().allocate(data.length).copyFrom(MemorySegment.ofArray(data));
      sums.begin(sum, 7, ranges(5, data.length));
      for (int at = 0; at < data.length;) {
        int bytes = 1 + random.nextInt(data.length - at);
        switch (random.nextInt(3)) {
          case 0 -> sums.add(sum, memory, at, bytes);
          case 1 -> sums.addForeign(sum, memory, at, bytes);
          default -> {
            Arrays.fill(data, at, at + bytes, (byte) 0);
            sums.addZeros(sum, bytes);
          }
        }
        at += bytes;
      }
      assertEquals(DataSums.of(7, data, 5, data.length), sum.value(), "seed " + seed + ", round " + round);
    }
  }

  @Test
  void shouldBeAnotherForAnotherPlaceOrAnotherBit() {
    MemorySegment data = Arena.ofAuto().allocate(70_000).fill((byte) 3);
    int right = of(7, ranges(0, 30_000, 50_000, 40_000), data);
    assertEquals(right, of(7, ranges(0, 30_000, 50_000, 40_000), data));
    assertNotEquals(right, of(8, ranges(0, 30_000, 50_000, 40_000), data));
    assertNotEquals(right, of(7, ranges(0, 30_000, 50_001, 40_000), data));
    assertNotEquals(right, of(7, ranges(0, 30_001, 50_000, 39_999), data));
    for (int at : new int[] {0, 16_383, 16_384, 69_999}) {
      data.set(ValueLayout.JAVA_BYTE, at, (byte) 2);
      assertNotEquals(right, of(7, ranges(0, 30_000, 50_000, 40_000), data), "byte " + at);
      data.set(ValueLayout.JAVA_BYTE, at, (byte) 3);
    }
  }

  private int of(long object, Ranges file, MemorySegment data) {
    sums.begin(sum, object, file);
    sums.addForeign(sum, data, 0, data.byteSize());
    return sum.value();
  }

  @Test
  void shouldSayThatMemoryOfAProgramHasNoPagesAnyMore(@TempDir Path directory) throws IOException {
    Path path = Files.write(directory.resolve("mapped"), new byte[1 << 20]);
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE); Arena arena = Arena.ofShared()) {
      MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 1 << 20, arena);
      file.truncate(100_000);
      sums.addForeign(sum, mapped, 0, 100_000);
      String message = assertThrows(IllegalStateException.class, () -> sums.addForeign(sum, mapped, 0, 1 << 20)).getMessage();
      assertTrue(message.startsWith("memory that has no pages any more"), message);
    }
  }

  @Test
  void shouldKnowWhichRangesShareBytes() {
    Ranges some = ranges(0, 10, 100, 10, 50, 1);
    assertTrue(some.overlaps(ranges(9, 1)));
    assertTrue(ranges(40, 20).overlaps(some));
    assertTrue(some.overlaps(ranges(20, 5, 105, 200)));
    for (Ranges other : new Ranges[] {ranges(10, 40, 51, 49), ranges(110, 5), ranges(), ranges(60, 40)}) {
      assertFalse(some.overlaps(other), other::toString);
      assertFalse(other.overlaps(some), other::toString);
    }
  }
}
