package dev.weft.pvfs.types;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DatatypeTest {
  private static String pieces(Datatype type) {
    Regions regions = new Regions();
    type.flatten(regions);
    assertEquals(type.size(), regions.bytes(), type::toString);
    assertTrue(regions.count() <= type.regions(), type::toString);
    return text(regions);
  }

  private static String text(Regions regions) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < regions.count(); i++) {
      all.add(regions.offset(i) + "+" + regions.length(i));
    }
    return String.join(" ", all);
  }

  @Test
  void shouldNameThePiecesThatMpiNames() {
    assertEquals("0+10", pieces(Datatype.bytes(10)));
    assertEquals("0+40", pieces(Datatype.bytes(4).times(10)));
    Datatype vector = Datatype.vector(3, 2, 5, Datatype.bytes(4));
    assertEquals("0+8 20+8 40+8", pieces(vector));
    assertEquals(48, vector.extent(), "to the end of its last block");
    assertEquals("0+8 20+8 40+16 68+8 88+8", pieces(vector.times(2)), "the second begins where the first ends");
    assertEquals("8+4 0+8", pieces(Datatype.indexed(new long[] {1, 0, 2}, new long[] {8, 100, 0}, Datatype.bytes(4))));
    Datatype tile = Datatype.subarray(new long[] {4, 6}, new long[] {2, 3}, new long[] {1, 2}, Datatype.bytes(1));
    assertEquals("8+3 14+3", pieces(tile));
    assertEquals(24, tile.extent(), "that of the array");
    assertEquals("16+3 20+3 28+3 32+3", pieces(Datatype.subarray(new long[] {4, 3, 4}, new long[] {2, 2, 3}, new long[] {1, 1, 0}, Datatype.bytes(1))));
    assertEquals("0+1 3+1 6+1", pieces(Datatype.bytes(1).resized(3).times(3)));
  }

  @Test
  void shouldTakeBlocksOfWholeTypesForOnePiece() {
    assertEquals("0+120", pieces(Datatype.vector(3, 5, 5, Datatype.bytes(8))));
    assertEquals(1, Datatype.vector(3, 5, 5, Datatype.bytes(8)).regions());
    Datatype late = Datatype.indexed(new long[] {1}, new long[] {4}, Datatype.bytes(4)).resized(4);
    assertFalse(late.isDense());
    assertEquals("4+8", pieces(late.times(2)));
  }

  /** A type that was resized to the size of its only piece, which begins later, in each of the others. */
  @Test
  void shouldNotTakeAPieceThatBeginsLaterForOneFromItsBeginning() {
    Datatype late = Datatype.indexed(new long[] {1}, new long[] {4}, Datatype.bytes(4)).resized(4);
    assertEquals("4+8", pieces(late.times(1).times(2)));
    assertEquals("4+8", pieces(Datatype.indexed(new long[] {1}, new long[] {0}, late).times(2)));
    assertEquals("4+8", pieces(Datatype.subarray(new long[] {1, 1}, new long[] {1, 1}, new long[] {0, 0}, late).times(2)));
    SplittableRandom random = new SplittableRandom(12);
    for (int round = 0; round < 500; round++) {
      Datatype inner = random(random, 2);
      Datatype type = random.nextBoolean() ? inner.times(1 + random.nextInt(2)).times(1 + random.nextInt(3)) : inner;
      List<Long> byDefinition = new ArrayList<>();
      walk(type, 0, byDefinition);
      List<Long> told = new ArrayList<>();
      type.tell(0, (at, bytes) -> LongStream.range(at, at + bytes).forEach(told::add));
      assertEquals(byDefinition, told, type::toString);
      assertTrue(!type.isDense() || LongStream.range(0, type.extent()).boxed().toList().equals(told), type::toString);
    }
  }

  /** Byte by byte, as types are defined. */
  private static void walk(Datatype type, long at, List<Long> to) {
    switch (type) {
      case Plain plain -> LongStream.range(at, at + plain.size()).forEach(to::add);
      case Resized resized -> walk(resized.of(), at, to);
      case Repeated repeated -> {
        for (long i = 0; i < repeated.count(); i++) {
          walk(repeated.of(), at + i * repeated.strideBytes(), to);
        }
      }
      case Indexed indexed -> {
        for (int i = 0; i < indexed.blockLengths().length; i++) {
          for (long k = 0; k < indexed.blockLengths()[i]; k++) {
            walk(indexed.of(), at + indexed.displacements()[i] + k * indexed.of().extent(), to);
          }
        }
      }
      case Subarray part -> {
        long[] index = part.starts().clone();
        for (int dimension = index.length - 1; dimension >= 0;) {
          long place = 0;
          for (int i = 0; i < index.length; i++) {
            place = place * part.sizes()[i] + index[i];
          }
          walk(part.of(), at + place * part.of().extent(), to);
          for (dimension = index.length - 1; dimension >= 0 && ++index[dimension] == part.starts()[dimension] + part.subsizes()[dimension]; dimension--) {
            index[dimension] = part.starts()[dimension];
          }
        }
      }
    }
  }

  @Test
  void shouldRefuseWhatIsOutOfBounds() {
    assertThrows(IllegalArgumentException.class, () -> Datatype.bytes(-1));
    assertThrows(IllegalArgumentException.class, () -> Datatype.bytes(1L << 61).times(4));
    assertThrows(IllegalArgumentException.class, () -> Datatype.vector(1L << 40, 1, 2, Datatype.bytes(1)), "more pieces than there may be");
    assertThrows(IllegalArgumentException.class, () -> Datatype.vector(3, 1, Long.MAX_VALUE / 2, Datatype.bytes(8)));
    assertThrows(IllegalArgumentException.class, () -> Datatype.subarray(new long[] {4}, new long[] {3}, new long[] {2}, Datatype.bytes(1)));
    assertThrows(IllegalArgumentException.class, () -> Datatype.indexed(new long[] {1}, new long[] {-1}, Datatype.bytes(1)));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> Datatype.vector(4, 1, -2, Datatype.bytes(4))).getMessage().contains("stride"));
    Datatype deep = Datatype.bytes(1);
    for (int i = 1; i < Datatype.DEPTH_MAX; i++) {
      deep = deep.times(1);
    }
    Datatype deepest = deep;
    assertTrue(assertThrows(IllegalArgumentException.class, () -> deepest.times(1)).getMessage().contains("17 types in each other"));
    assertEquals("", pieces(Datatype.bytes(0).times(1L << 50)), "takes no time");
  }

  @Test
  void shouldSayWhyAPartitionCannotBe() {
    assertEquals("10+3 20+3 30+3", stream(new FlatType(10, Partition.of(10, 3, 10).type()), 0, 9));
    assertEquals("5+2 8+2 25+2 28+2 45+1", stream(new FlatType(5, new Partition(5, 2, 3, 20, 2).type()), 0, 9));
    assertThrows(IllegalArgumentException.class, () -> Partition.of(0, 4, 3));
    assertThrows(IllegalArgumentException.class, () -> new Partition(0, 4, 4, 7, 2));
  }

  private static String stream(FlatType type, long position, long bytes) {
    Regions regions = new Regions();
    assertEquals(bytes, type.pieces(position, bytes, regions, 1000));
    return text(regions);
  }

  @Test
  void shouldFindEveryPartOfAStreamAsWalkingThereDoes() {
    SplittableRandom random = new SplittableRandom(11);
    for (int round = 0; round < 300; round++) {
      Datatype type = random(random, 3);
      if (type.size() == 0 || type.extent() == 0 || type.size() > 2000) {
        continue;
      }
      int displacement = random.nextInt(50);
      FlatType flat = new FlatType(displacement, type);
      List<Long> walked = new ArrayList<>();
      Regions one = new Regions();
      type.flatten(one);
      for (int tile = 0; tile < 4; tile++) {
        for (int i = 0; i < one.count(); i++) {
          for (long at = 0; at < one.length(i); at++) {
            walked.add(displacement + tile * type.extent() + one.offset(i) + at);
          }
        }
      }
      int from = random.nextInt(walked.size());
      int bytes = random.nextInt(walked.size() - from + 1);
      Regions found = new Regions();
      long done = 0;
      while (done < bytes) {
        done += flat.pieces(from + done, bytes - done, found, found.count() + 2);
      }
      List<Long> told = new ArrayList<>();
      for (int i = 0; i < found.count(); i++) {
        for (long at = 0; at < found.length(i); at++) {
          told.add(found.offset(i) + at);
        }
      }
      assertEquals(walked.subList(from, from + bytes), told, type::toString);
      assertEquals(walked.get(from), flat.offsetOf(from));
      long end = random.nextLong(displacement + 2 * type.extent());
      if (flat.isAscending()) {
        assertEquals(walked.stream().filter(at -> at < end).count(), flat.bytesBefore(end), () -> type + " before " + end);
      }
    }
  }

  private static Datatype random(SplittableRandom random, int depth) {
    if (depth == 0 || random.nextInt(4) == 0) {
      return Datatype.bytes(1 + random.nextInt(5));
    }
    Datatype of = random(random, depth - 1);
    return switch (random.nextInt(5)) {
      case 4 -> Datatype.indexed(new long[] {1}, new long[] {random.nextInt(9)}, of).resized(of.size());
      case 0 -> of.times(1 + random.nextInt(3));
      case 1 -> Datatype.vector(1 + random.nextInt(4), 1 + random.nextInt(2), 1 + random.nextInt(4), of);
      case 2 -> Datatype.indexed(new long[] {1, 2}, new long[] {random.nextInt(20), random.nextInt(40)}, of);
      default -> Datatype.subarray(new long[] {3, 4}, new long[] {2, 1 + random.nextInt(2)}, new long[] {random.nextInt(2), 1}, of)
          .resized(12 * of.extent() + random.nextInt(3));
    };
  }
}
