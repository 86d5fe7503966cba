package dev.weft.pvfs.types;

/** Arithmetic of sizes that throws when a result is out of bounds. */
final class Checks {
  private Checks() {}

  static long sum(long a, long b) {
    return bounded(a > Datatype.BYTES_MAX - b ? Long.MAX_VALUE : a + b);
  }

  static long times(long a, long b) {
    return bounded(Math.multiplyHigh(a, b) != 0 ? Long.MAX_VALUE : a * b);
  }

  private static long bounded(long bytes) {
    if (bytes < 0 || bytes > Datatype.BYTES_MAX) {
      throw new IllegalArgumentException("a data type that reaches beyond " + Datatype.BYTES_MAX + " bytes");
    }
    return bytes;
  }

  static void notNegative(String what, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(what + " of a data type is " + value + ", must be 0 or more");
    }
  }

  static int depth(Datatype of) {
    int depth = of.depth() + 1;
    if (depth > Datatype.DEPTH_MAX) {
      throw new IllegalArgumentException("a data type of " + depth + " types in each other, may be " + Datatype.DEPTH_MAX);
    }
    return depth;
  }

  static long regions(long count, long each) {
    if (count > 0 && each > Datatype.REGIONS_MAX / count) {
      throw new IllegalArgumentException("a data type of " + count + " times " + each + " pieces, may have " + Datatype.REGIONS_MAX);
    }
    return count * each;
  }

  /** Returns the number of pieces of {@code count} elements, one directly behind the other. */
  static long row(long count, Datatype of) {
    return of.isDense() ? Math.min(count, of.regions()) : regions(count, of.regions());
  }
}
