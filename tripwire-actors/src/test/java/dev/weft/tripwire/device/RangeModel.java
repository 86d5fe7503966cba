package dev.weft.tripwire.device;

import java.util.Comparator;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What a look at every range says of which Tripwires an access fires; ranges and accesses are drawn here. */
final class RangeModel {
  static final int MEMORY = 1 << 17;
  static final int MANY = 1000;
  static final int SHORT = 64;
  private static final int SOME = 100;

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
    if (start.length <= MANY) {
      for (int i = 0; i < start.length; i++) {
        look(i, from, to);
      }
      return;
    }
    int last = firstAt[(int) to];
    for (int n = firstAt[(int) Math.max(0, from - SHORT)]; n < last; n++) {
      look(byStart[n], from, to);
    }
  }

  private void look(int i, long from, long to) {
    if (start[i] < to && from < end[i] && armed[i]) {
      expected[i]++;
      armed[i] = !once[i];
    }
  }

  /** One range in so many is long. A write over many ranges is thousands of firings, so with more of them fewer are long. */
  static int longRangeOneIn(int count) {
    return count > SOME ? 32 : 4;
  }

  /** One access in so many is long. */
  int longAccessOneIn() {
    return start.length > MANY ? 256 : start.length > SOME ? 16 : 4;
  }

  /** An offset near an edge of a page or a burst as often as anywhere. */
  static long offset(SplittableRandom random) {
    long edge = (long) random.nextInt(MEMORY >>> 8) << 8;
    long any = random.nextBoolean() ? edge + random.nextInt(-8, 9) : random.nextInt(MEMORY);
    return Math.min(MEMORY - 1, Math.max(0, any));
  }

  /** The same for a write that does not continue the one before, which ended there: a switch may make one write of two that do. */
  static long offset(SplittableRandom random, long lastEnd) {
    long any = offset(random);
    return any == lastEnd ? any - 1 : any;
  }

  static long length(SplittableRandom random, long offset, int most, int longOneIn) {
    long any = random.nextInt(longOneIn) == 0 ? random.nextLong(1, most) : random.nextLong(1, 17);
    return Math.min(any, MEMORY - offset);
  }
}
