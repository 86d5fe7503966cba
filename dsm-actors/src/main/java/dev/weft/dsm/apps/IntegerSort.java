package dev.weft.dsm.apps;

import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharingUnit;
import java.util.List;

/**
 * The NAS benchmark IS: ranks integer keys ten times by counting how many there are of each, changing two keys before each time. Keys are local to
 * workers; the counts are shared, in 16 chunks of one minipage each, to which each worker adds its own under the chunk's lock, starting
 * with another chunk than the others.
 *
 * <p>Which of several equal keys comes first depends on the order in which workers get a lock; nothing that is compared does.
 */
final class IntegerSort extends SizedApplication<IntegerSort.Size> {
  private static final int ITERATIONS = 10;
  private static final int CHUNKS = 16;
  /** A chunk begins with the iteration its counts are of, so that nobody needs to clear it; two words, so that it ends with a whole 8 bytes. */
  private static final int CHUNK_HEADER = 2;
  /** Words that are read or written at once where keys or ranks pass by. */
  private static final int BLOCK = 1024;

  /**
   * A class of the benchmark. In iteration i, key number {@code indexes[k]} has rank {@code ranks[k]} + i + {@code shift} for the first
   * three k, and {@code ranks[k]} - i - {@code shift} for the others.
   *
   * @param keys how many
   * @param keyMax keys are below; a multiple of 16
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

  /** What {@code key number index} becomes before that iteration; -1 if it stays. */
  private static int change(int index, int iteration, int keyMax) {
    return index == iteration ? iteration : index == iteration + ITERATIONS ? keyMax - iteration : -1;
  }

  private static final class Part extends SharedWork {
    private final Size size;
    private final Share own;
    private final int chunk;
    private final SharedInts counts;
    private final DsmLock[] locks;
    private final SharedInts passes;
    private final SharedInts ranks;
    private final int[] total;
    /** Of each key, how many there were before this worker added its own. */
    private final int[] before;
    private int[] keys;
    private int passed;

    private Part(Worker worker, Size size) {
      super(worker);
      this.size = size;
      this.own = mine(size.keys());
      this.chunk = size.keyMax() / CHUNKS;
      this.counts = ints("counts", (long) CHUNKS * (CHUNK_HEADER + chunk), SharingUnit.elements(CHUNK_HEADER + chunk));
      this.locks = locks("chunk", CHUNKS);
      this.passes = intSums("passes", 1, SharingUnit.whole());
      this.ranks = ints("ranks", size.keys(), SharingUnit.elements(BLOCK));
      this.total = new int[size.keyMax()];
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
        meet();
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
      int[] mine = new int[size.keyMax()];
      for (int key : keys) {
        mine[key]++;
      }
      worker.compute(Operation.INTEGER, 2L * keys.length);
      int[] words = new int[CHUNK_HEADER + chunk];
      for (int i = 0; i < CHUNKS; i++) {
        add(iteration, mine, (i + worker.index() * CHUNKS / worker.count()) % CHUNKS, words);
      }
    }

    private void add(int iteration, int[] mine, int number, int[] words) {
      long at = (long) number * words.length;
      int first = number * chunk;
      locks[number].acquire();
      counts.read(at, words, 0, words.length);
      boolean fresh = words[0] != iteration;
      for (int key = 0; key < chunk; key++) {
        int there = fresh ? 0 : words[CHUNK_HEADER + key];
        before[first + key] = there;
        words[CHUNK_HEADER + key] = there + mine[first + key];
      }
      words[0] = iteration;
      counts.write(at, words, 0, words.length);
      worker.compute(Operation.INTEGER, 2L * chunk);
      locks[number].release();
    }

    /** Of each key, how many are less: its rank. */
    private void rank() {
      int less = 0;
      for (int number = 0; number < CHUNKS; number++) {
        int first = number * chunk;
        counts.read((long) number * (CHUNK_HEADER + chunk) + CHUNK_HEADER, total, first, chunk);
        for (int key = first; key < first + chunk; key++) {
          int equal = total[key];
          total[key] = less;
          less += equal;
        }
        worker.compute(Operation.INTEGER, chunk);
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

    /** Each key's own place: behind those of lesser keys, and behind equal ones of workers that were first, and of lower indexes. */
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

    /** Puts each key where its rank says; answers how many different places there are. Keys are made anew: workers have only their own. */
    private int place(int[] sorted) {
      boolean[] taken = new boolean[sorted.length];
      int[] block = new int[BLOCK];
      int places = 0;
      for (int from = 0; from < size.keys(); from += BLOCK) {
        int some = Math.min(BLOCK, size.keys() - from);
        int[] made = NasKeys.range(from, from + some, size.keyMax());
        ranks.read(from, block, 0, some);
        for (int k = 0; k < some; k++) {
          int at = block[k];
          if (at >= 0 && at < sorted.length && !taken[at]) {
            taken[at] = true;
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
