package dev.weft.pvfs.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pvfs.types.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** Requests with shapes, right and hostile. */
class ShapedRangesTest {
  private final MemorySegment memory = MemorySegment.ofArray(new byte[DaemonRequest.BYTES_MAX]);
  private final DaemonRequest read = new DaemonRequest();

  private static Shape rows(long block, long count, long stride) {
    return new Shape(0, block, new long[] {1, count}, new long[] {count * stride, stride});
  }

  private static DaemonRequest request(DaemonOp op, Band band, ShapedRanges shaped) {
    DaemonRequest request = new DaemonRequest();
    request.op = op;
    request.band = band;
    request.id = 3;
    request.object = 4;
    request.shaped = shaped;
    return request;
  }

  private String problem(ShapedRanges shaped) {
    int bytes = request(DaemonOp.READ, Band.SERVER, shaped).encode(memory, 0);
    assertEquals(-1, read.decode(memory, 0, bytes));
    return read.problem();
  }

  @Test
  void shouldFindTheRangesOfOneDaemonAndTheirMemory() {
    // Stripes of 10 at two daemons; blocks of 4 at 0, 6, 12, 18, of which daemon 1 has 12 to 16 and 18 to 20, and daemon 0 from 20 to 22.
    ShapedRanges all = new ShapedRanges(rows(4, 100, 6), 0, 16, 1, 2, 10, 1000, 77);
    DaemonRequest request = request(DaemonOp.WRITE, Band.SERVER, all);
    request.isChecked = true;
    request.sum = 99;
    int bytes = request.encode(memory, 0);
    assertEquals(bytes, read.decode(memory, 0, bytes), read.problem());
    assertEquals("[2+4, 8+2]", read.file.toString());
    assertEquals("[1008+6]", read.memory.toString(), "which are side by side there");
    assertEquals(77, read.memory.key(0));
    assertEquals(99, read.sum);
    ShapedRanges other = new ShapedRanges(all.shape(), 0, 16, 0, 2, 10, 1000, 77);
    bytes = request(DaemonOp.READ, Band.SERVER, other).encode(memory, 0);
    assertEquals(bytes, read.decode(memory, 0, bytes), read.problem());
    assertEquals("[0+4, 6+6]", read.file.toString());
    assertEquals("[1000+8, 1014+2]", read.memory.toString());
    bytes = request(DaemonOp.READ, Band.FAST, other).encode(memory, 0);
    assertEquals(bytes, read.decode(memory, 0, bytes), read.problem());
    assertEquals(0, read.memory.count());
    DaemonRequest plain = new DaemonRequest();
    plain.file.add(5, 6);
    bytes = plain.encode(memory, 0);
    assertEquals(bytes, read.decode(memory, 0, bytes), read.problem());
    assertEquals("[5+6]", read.file.toString(), "nothing is left of the one before");
  }

  @Test
  void shouldRefuseWhatIsTooMuch() {
    Shape holes = rows(1, 1 << 20, 2);
    assertTrue(problem(new ShapedRanges(holes, 0, 4097, 0, 1, 65_536, 0, 0)).startsWith("a shape of more than 4096 pieces in one request"));
    assertTrue(problem(new ShapedRanges(holes, 0, 1L << 60, 7, 8, 1 << 30, 0, 0)).startsWith("a shape of more than 16384 blocks and stripes"));
    Shape all = new Shape(0, 1L << 40, new long[] {1}, new long[] {1L << 40});
    assertTrue(problem(new ShapedRanges(all, 0, 1L << 40, 1, 2, 1, 0, 0)).startsWith("a shape of more than 4096 pieces"));
    assertTrue(problem(new ShapedRanges(all, 0, 1L << 40, 0, 1, 1, 0, 0)).startsWith("a request for "));
    Shape one = new Shape(0, 1, new long[] {1}, new long[] {0});
    assertTrue(problem(new ShapedRanges(one, 0, Long.MAX_VALUE, 0, 1, 1, 0, 0)).startsWith("a shape of more than "), "the same byte again and again");
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    Shape rows = rows(4, 10, 6);
    assertEquals("a shape at daemon 2 of 2 with stripes of 10 bytes", problem(new ShapedRanges(rows, 0, 10, 2, 2, 10, 0, 0)));
    assertEquals("a shape at daemon 0 of 0 with stripes of 10 bytes", problem(new ShapedRanges(rows, 0, 10, 0, 0, 10, 0, 0)));
    assertEquals("a shape at daemon 0 of 1 with stripes of 0 bytes", problem(new ShapedRanges(rows, 0, 10, 0, 1, 0, 0, 0)));
    assertEquals("a part of 0 bytes from 0 of a shape", problem(new ShapedRanges(rows, 0, 0, 0, 1, 10, 0, 0)));
    assertEquals("a part of 4 bytes from -1 of a shape", problem(new ShapedRanges(rows, -1, 4, 0, 1, 10, 0, 0)));
    Shape far = new Shape(1L << 61, 10, new long[] {1}, new long[] {1L << 62});
    assertTrue(problem(new ShapedRanges(far, 0, 30, 0, 1, 10, 0, 0)).startsWith("a shape that reaches beyond every file"));
    int bytes = request(DaemonOp.STAT, Band.INLINE, new ShapedRanges(rows, 0, 10, 0, 1, 10, 0, 0)).encode(memory, 0);
    assertEquals(-1, read.decode(memory, 0, bytes));
    assertTrue(read.problem().startsWith("a shape for STAT"), read.problem());
    bytes = request(DaemonOp.READ, Band.INLINE, new ShapedRanges(rows, 0, 10, 0, 1, 10, 0, 0)).encode(memory, 0);
    assertEquals(-1, read.decode(memory, 0, bytes - 1), "it is cut");
  }

  /** Whatever the numbers are: ranges, or a reason, and soon. */
  @Test
  void shouldSurviveGarbage() {
    long seed = ThreadLocalRandom.current().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      int bytes = request(DaemonOp.READ, Band.SERVER, new ShapedRanges(rows(4, 10, 6), 0, 10, 0, 1, 10, 0, 0)).encode(memory, 0);
      for (int i = 1 + random.nextInt(4); i > 0; i--) {
        memory.set(ValueLayout.JAVA_BYTE, 76 + random.nextInt(bytes - 76), (byte) random.nextInt());
      }
      int length = read.decode(memory, 0, bytes);
      assertEquals(length < 0, read.problem() != null, "seed " + seed + ", round " + round);
    }
  }
}
