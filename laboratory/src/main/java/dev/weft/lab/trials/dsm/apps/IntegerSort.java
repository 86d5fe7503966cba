package dev.weft.lab.trials.dsm.apps;

import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * The NAS benchmark IS: ranks integer keys ten times by counting the keys of each value, and changes two keys before each time. Keys are local to
 * workers. The counts are shared, in one region for each worker, of one minipage each. Each worker adds its own counts to one region after the other,
 * starting with its own, and all meet after each. So no two workers use the same region at once, and there are no locks. OSDI 1999 (Kernel DSM,
 * reference 14) shares them in this way: regions of equal size, one for each host, 256 bytes of 2 KB for eight, 90 barriers for ten rankings, no
 * lock.
 */
final class IntegerSort extends SizedApplication<IntegerSort.Size> {
  private static final int ITERATIONS = 10;
  /**
   * Words before the counts of a region. The first is the number of the iteration, which is written before the counts are read; two words keep 8-byte
   * alignment.
   */
  private static final int HEADER = 2;
  /** Number of words that are read or written at once in passes over keys or ranks. */
  private static final int BLOCK = 1024;

  /**
   * A class of the benchmark. In iteration i, key number {@code indexes[k]} has rank {@code ranks[k]} + i + {@code shift} for the first three k, and
   * {@code ranks[k]} - i - {@code shift} for the others.
   *
   * @param keys number of keys
   * @param keyMax keys are below this
   */
  record Size(int keys, int keyMax, int[] indexes, int[] ranks, int shift) {}

  IntegerSort() {
    super("is", "NAS integer sort");
    size("S", new Size(1 << 16, 1 << 11, new int[] {48427, 17148, 23627, 62548, 4431}, new int[] {0, 18, 346, 64917, 65463}, 0));
    size("A", new Size(1 << 23, 1 << 19, new int[] {2112377, 662041, 5336171, 3642833, 4250760},
        new int[] {104, 17523, 123928, 8288932, 8388264}, -1));
    size("osdi99", new Size(1 << 23, 1 << 9, new int[0], new int[0], 0));
  }

  @Override
  Work work(Worker worker, Size size) {
    return new Part(worker, size);
  }

  /** The new value of the key with this index before that iteration; -1 if it stays. */
  private static int change(int index, int iteration, int keyMax) {
    return index == iteration ? iteration : index == iteration + ITERATIONS ? keyMax - iteration : -1;
  }

  private static final class Part extends SharedWork {
    private final Size size;
    private final Share own;
    /** Number of key values of a region, even so that the region is a multiple of 8 bytes. */
    private final int region;
    private final SharedInts counts;
    private final SharedInts passes;
    private final SharedInts ranks;
    private final int[] total;
    /** By key value: number of this worker's keys. */
    private final int[] mine;
    /** By key value: number of keys before this worker added its own. */
    private final int[] before;
    private int[] keys;
    private int passed;

    private Part(Worker worker, Size size) {
      super(worker);
      this.size = size;
      this.own = mine(size.keys());
      this.region = (size.keyMax() + 2 * worker.count() - 1) / (2 * worker.count()) * 2;
      this.counts = ints("counts", (long) worker.count() * (HEADER + region), SharingUnit.elements(HEADER + region));
      this.passes = intSums("passes", 1, SharingUnit.whole());
      this.ranks = ints("ranks", size.keys(), SharingUnit.elements(BLOCK));
      this.total = new int[size.keyMax()];
      this.mine = new int[size.keyMax()];
      this.before = new int[size.keyMax()];
    }

    @Override
    void fill() {
      keys = NasKeys.range(own.from(), own.to(), size.keyMax());
    }

    @Override
    void work() {
      for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
        change(iteration);
        count(iteration);
        rank();
        verify(iteration);
        meet();
      }
    }

    private void change(int iteration) {
      for (int index : new int[] {iteration, iteration + ITERATIONS}) {
        if (own.has(index)) {
          keys[index - own.from()] = IntegerSort.change(index, iteration, size.keyMax());
        }
      }
    }

    private void count(int iteration) {
      Arrays.fill(mine, 0);
      for (int key : keys) {
        mine[key]++;
      }
      worker.compute(Operation.INTEGER, 2L * keys.length);
      for (int i = 0; i < worker.count(); i++) {
        add(iteration, (worker.index() + i) % worker.count(), i == 0);
        meet();
      }
    }

    /** Key values of a region; the last regions may have fewer, or none. */
    private Share keysOf(int number) {
      return new Share(Math.min(number * region, size.keyMax()), Math.min((number + 1) * region, size.keyMax()));
    }

    private long at(int number) {
      return (long) number * (HEADER + region);
    }

    /** The first worker, whose own region it is, starts from zero. */
    private void add(int iteration, int number, boolean isFirst) {
      Share of = keysOf(number);
      int[] there = new int[of.size()];
      // A processor adds to memory in one instruction: it takes one write fault for the counts, not a read fault and then a write fault.
      counts.set(at(number), iteration);
      if (!isFirst) {
        counts.read(at(number) + HEADER, there, 0, there.length);
      }
      for (int k = 0; k < there.length; k++) {
        before[of.from() + k] = there[k];
        there[k] += mine[of.from() + k];
      }
      counts.write(at(number) + HEADER, there, 0, there.length);
      worker.compute(Operation.INTEGER, 2L * there.length);
    }

    /** By key value: number of smaller keys, which is the rank. */
    private void rank() {
      int less = 0;
      for (int number = 0; number < worker.count(); number++) {
        Share of = keysOf(number);
        counts.read(at(number) + HEADER, total, of.from(), of.size());
        for (int key = of.from(); key < of.to(); key++) {
          int equal = total[key];
          total[key] = less;
          less += equal;
        }
        worker.compute(Operation.INTEGER, of.size());
      }
    }

    private void verify(int iteration) {
      for (int k = 0; k < size.indexes().length; k++) {
        if (own.has(size.indexes()[k])) {
          int shift = iteration + size.shift();
          int expected = size.ranks()[k] + (k <= 2 ? shift : -shift);
          passed += total[keys[size.indexes()[k] - own.from()]] == expected ? 1 : 0;
        }
      }
    }

    /** The place of each key: after smaller keys, equal keys of earlier workers, and equal keys with lower indexes. */
    @Override
    void collect() {
      passes.getAndAdd(0, passed);
      int[] next = new int[size.keyMax()];
      for (int key = 0; key < next.length; key++) {
        next[key] = total[key] + before[key];
      }
      int[] block = new int[BLOCK];
      for (int i = 0; i < keys.length; i += BLOCK) {
        int some = Math.min(BLOCK, keys.length - i);
        for (int k = 0; k < some; k++) {
          block[k] = next[keys[i + k]]++;
        }
        ranks.write(own.from() + i, block, 0, some);
      }
    }

    @Override
    public Outcome outcome() {
      int[] sorted = new int[size.keys()];
      int places = place(sorted);
      int disorder = 0;
      Digest digest = new Digest();
      for (int i = 0; i < sorted.length; i++) {
        disorder += i > 0 && sorted[i - 1] > sorted[i] ? 1 : 0;
        digest.add(sorted[i]);
      }
      boolean full = places == sorted.length && disorder == 0;
      int count = passes.get(0) + (full ? 1 : 0);
      int expected = size.indexes().length * ITERATIONS + 1;
      return new Outcome(List.of(size.keys() + " keys below " + size.keyMax() + ", " + ITERATIONS + " rankings"),
          List.of(new Check("partial verification", passes.get(0) == expected - 1, passes.get(0) + " ranks, expected " + (expected - 1)),
              new Check("full verification", full, places + " of " + sorted.length + " places taken once, " + disorder + " out of order"),
              new Check("passes", count == expected, count + ", expected " + expected)),
          digest.value(), new double[0]);
    }

    /** Puts each key at the place of its rank; returns the number of different places. Makes the keys anew, because workers have only their own. */
    private int place(int[] sorted) {
      BitSet taken = new BitSet(sorted.length);
      int[] block = new int[BLOCK];
      int places = 0;
      for (int from = 0; from < size.keys(); from += BLOCK) {
        int some = Math.min(BLOCK, size.keys() - from);
        int[] made = NasKeys.range(from, from + some, size.keyMax());
        ranks.read(from, block, 0, some);
        for (int k = 0; k < some; k++) {
          int at = block[k];
          if (at >= 0 && at < sorted.length && !taken.get(at)) {
            taken.set(at);
            places++;
            sorted[at] = afterAllChanges(from + k, made[k]);
          }
        }
      }
      return places;
    }

    private int afterAllChanges(int index, int made) {
      int key = made;
      for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
        int changed = IntegerSort.change(index, iteration, size.keyMax());
        key = changed < 0 ? key : changed;
      }
      return key;
    }
  }
}
