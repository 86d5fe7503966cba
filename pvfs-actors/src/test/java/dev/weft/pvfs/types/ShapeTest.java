package dev.weft.pvfs.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

class ShapeTest {
  private static final Datatype BYTE = Datatype.bytes(1);

  /** A type of vectors and parts of arrays in each other. */
  private static Datatype random(SplittableRandom random, int depth) {
    if (depth == 0) {
      return Datatype.bytes(1 + random.nextInt(9));
    }
    Datatype of = random(random, depth - 1);
    return switch (random.nextInt(4)) {
      case 0 -> of.times(1 + random.nextInt(4));
      case 1 -> Datatype.vector(1 + random.nextInt(6), 1 + random.nextInt(3), 3 + random.nextInt(4), of);
      case 2 -> of.resized(of.extent() + random.nextInt(10));
      default -> Datatype.subarray(new long[] {3, 5, 4}, new long[] {1 + random.nextInt(2), 1 + random.nextInt(4), 1 + random.nextInt(3)},
          new long[] {random.nextInt(2), 1, random.nextInt(2)}, of);
    };
  }

  @Test
  void shouldGoWhereTheTypeGoes() {
    long seed = ThreadLocalRandom.current().nextLong();
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 500; round++) {
      Datatype type = random(random, random.nextInt(3)); // Three subarrays in each other have more dimensions than a shape.
      if (type.extent() == 0) {
        continue;
      }
      int displacement = random.nextInt(100);
      String what = "seed " + seed + ", round " + round + ", " + type;
      Shape shape = Shape.of(displacement, type);
      assertNotNull(shape, what);
      long position = random.nextLong(3 * type.size());
      long bytes = 1 + random.nextLong(3 * type.size());
      Regions expected = new Regions();
      new FlatType(displacement, type).pieces(position, bytes, expected, Integer.MAX_VALUE);
      Regions found = new Regions();
      Shape.Walk walk = shape.walk(position);
      for (long done = 0; done < bytes;) {
        long piece = Math.min(1 + random.nextInt(20), Math.min(walk.left(), bytes - done));
        found.add(walk.offset(), piece);
        walk.advance(piece);
        done += piece;
      }
      assertEquals(text(expected), text(found), what);
    }
  }

  private static String text(Regions regions) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < regions.count(); i++) {
      text.append(regions.offset(i)).append('+').append(regions.length(i)).append(' ');
    }
    return text.toString();
  }

  @Test
  void shouldHaveNoneOfWhatLiesAnywhere() {
    assertNull(Shape.of(0, Datatype.indexed(new long[] {1, 1}, new long[] {0, 3}, BYTE)));
    assertNull(Shape.of(Long.MAX_VALUE, Datatype.vector(2, 1, 2, BYTE)));
    assertNotNull(Shape.of(0, ofDimensions(7)));
    assertNull(Shape.of(0, ofDimensions(9)), "more dimensions than are told");
    assertEquals(2, Shape.of(0, Datatype.vector(2, 1, 2, BYTE)).dimensions());
    assertEquals(1, Shape.of(0, Datatype.bytes(1 << 20).times(7)).dimensions(), "one block");
  }

  private static Datatype ofDimensions(int count) {
    long[] sizes = new long[count];
    long[] subsizes = new long[count];
    Arrays.fill(sizes, 3);
    Arrays.fill(subsizes, 2);
    return Datatype.subarray(sizes, subsizes, new long[count], BYTE);
  }

  @Test
  void shouldRefuseWhatIsOutOfBounds() {
    long[] one = {1};
    assertThrows(IllegalArgumentException.class, () -> new Shape(0, 1, new long[0], new long[0]));
    assertThrows(IllegalArgumentException.class, () -> new Shape(0, 1, new long[9], new long[9]));
    assertThrows(IllegalArgumentException.class, () -> new Shape(0, 1, one, new long[] {1, 1}));
    assertThrows(IllegalArgumentException.class, () -> new Shape(-1, 1, one, one));
    assertThrows(IllegalArgumentException.class, () -> new Shape(0, 0, one, one));
    assertThrows(IllegalArgumentException.class, () -> new Shape(0, 1, one, new long[] {-1}));
    String message = assertThrows(IllegalArgumentException.class, () -> new Shape(0, 1, new long[] {1, 0}, new long[] {1, 1})).getMessage();
    assertTrue(message.contains("a shape of 0 at distances of 1 in dimension 1"), message);
    Shape far = new Shape(1L << 61, 10, one, new long[] {1L << 62});
    assertThrows(ArithmeticException.class, () -> far.walk(20));
    Shape.Walk walk = far.walk(15);
    walk.advance(5); // To the end of the last block that there is.
    assertThrows(ArithmeticException.class, walk::offset);
  }
}
