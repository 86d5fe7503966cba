package dev.weft.tripwire;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What a look at every range says of which Tripwires an access fires; ranges and accesses are drawn here. */
final class RangeModel {
  static final int MEMORY = 1 << 17;
  static final int MANY = 1000;
  static final int SHORT = 64;

  final long[] start;
  final long[] end;
  final boolean[] once;
  final boolean[] armed;
  final long[] expected;
  private int[] byStart;
  private int[] firstAt;

  RangeModel(int count) {
    start = new long[count];
    end = new long[count];
    once = new boolean[count];
    armed = new boolean[count];
    expected = new long[count];
  }

  /** With many ranges, which are short then, only those that begin near the write are looked at. */
  void sort() {
    byStart = IntStream.range(0, start.length).boxed()
        .sorted(Comparator.comparingLong(i -> start[i])).mapToInt(i -> i).toArray();
    firstAt = new int[MEMORY + 1];
    for (int at = 0, i = 0; at <= MEMORY; at++) {
      while (i < byStart.length && start[byStart[i]] < at) {
        i++;
      }
      firstAt[at] = i;
    }
  }

  void accessed(long from, long to) {
    int first = start.length > MANY ? firstAt[(int) Math.max(0, from - SHORT)] : 0;
    int last = start.length > MANY ? firstAt[(int) to] : start.length;
    for (int n = first; n < last; n++) {
      int i = byStart[n];
      if (armed[i] && start[i] < to && from < end[i]) {
        expected[i]++;
        armed[i] = !once[i];
      }
    }
  }

  /** An offset near an edge of a page or a burst as often as anywhere. */
  static long offset(SplittableRandom random) {
    long edge = (long) random.nextInt(MEMORY >>> 8) << 8;
    long any = random.nextBoolean() ? edge + random.nextInt(-8, 9) : random.nextInt(MEMORY);
    return Math.min(MEMORY - 1, Math.max(0, any));
  }

  static long length(SplittableRandom random, long offset, int most) {
    long any = random.nextInt(4) == 0 ? random.nextLong(1, most) : random.nextLong(1, 17);
    return Math.min(any, MEMORY - offset);
  }
}
