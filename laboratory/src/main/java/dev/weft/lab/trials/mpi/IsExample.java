package dev.weft.lab.trials.mpi;

import dev.weft.tripwire.mpi.Communicator;
import dev.weft.tripwire.mpi.Datatype;
import dev.weft.tripwire.mpi.Mpi;
import dev.weft.tripwire.mpi.Op;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Integer sort, class S of the NAS Parallel Benchmarks: 2^16 keys below 2^11 are ranked ten times, two of them changed before each time, by
 * exchanging buckets of keys between all ranks. Written from the specification (RNR-94-007, section 3.5), which publishes the ranks of five keys.
 */
public final class IsExample implements Example {
  private static final long SEED = 314_159_265L;
  private static final int KEYS = 1 << 16;
  private static final int KEY_LIMIT = 1 << 11;
  private static final int BUCKETS = 1 << 9;
  private static final int KEYS_PER_BUCKET = KEY_LIMIT / BUCKETS;
  private static final int ITERATIONS = 10;
  /** Published for class S: indexes and ranks of the tested keys; plus the iteration's number for three of them, minus for two. */
  private static final int[] TEST_INDEX = {48_427, 17_148, 23_627, 62_548, 4_431};
  private static final int[] TEST_RANK = {0, 18, 346, 64_917, 65_463};
  private static final int TESTS_THAT_RISE = 3;

  @Override
  public String name() {
    return "is";
  }

  @Override
  public String description() {
    return "NAS IS class S, 2^16 keys; checks published ranks and the sorted keys";
  }

  @Override
  public Outcome run(Communicator world) {
    int first = firstKey(world.rank(), world.size());
    int[] keys = keys(first, firstKey(world.rank() + 1, world.size()));
    int passed = 0;
    Sorted sorted = null;
    for (int iteration = 1; iteration <= ITERATIONS; iteration++) {
      set(keys, first, iteration, iteration);
      set(keys, first, iteration + ITERATIONS, KEY_LIMIT - iteration);
      sorted = new Sorted(world, keys);
      passed += passed(world, sorted, keys, first, iteration);
    }
    long passedByAll = sum(world, passed);
    boolean isSorted = sum(world, sorted.isBehindTheRankBefore(world) ? 0 : 1) == 0 && sum(world, sorted.count) == KEYS;
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("keys", KEYS);
    values.put("iterations", ITERATIONS);
    values.put("ranksVerified", passedByAll + " of " + ITERATIONS * TEST_INDEX.length);
    values.put("sorted", isSorted);
    return new Outcome(passedByAll == (long) ITERATIONS * TEST_INDEX.length && isSorted, values);
  }

  private static int firstKey(int rank, int size) {
    return (int) ((long) KEYS * rank / size);
  }

  private static int[] keys(int first, int end) {
    NasRandom random = new NasRandom(SEED, 4L * first);
    int[] keys = new int[end - first];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = (int) (KEY_LIMIT / 4 * (random.next() + random.next() + random.next() + random.next()));
    }
    return keys;
  }

  private static void set(int[] keys, int first, int index, int key) {
    if (index >= first && index < first + keys.length) {
      keys[index - first] = key;
    }
  }

  private static long sum(Communicator world, long mine) {
    MemorySegment send = Mpi.allocate(8);
    MemorySegment all = Mpi.allocate(8);
    send.set(ValueLayout.JAVA_LONG, 0, mine);
    world.allreduce(send, all, Datatype.LONG, Op.SUM);
    return all.get(ValueLayout.JAVA_LONG, 0);
  }

  /** Number of tested keys that this rank has and whose rank is the published one. */
  private static int passed(Communicator world, Sorted sorted, int[] keys, int first, int iteration) {
    int passed = 0;
    for (int i = 0; i < TEST_INDEX.length; i++) {
      int at = TEST_INDEX[i] - first;
      int key = (int) sum(world, at >= 0 && at < keys.length ? keys[at] : 0);
      int expected = TEST_RANK[i] + (i < TESTS_THAT_RISE ? iteration : -iteration);
      passed += sorted.owns(key) && sorted.rankOf(key) == expected ? 1 : 0;
    }
    return passed;
  }

  /** The keys of one iteration. Each rank has those of a range of buckets, so that all ranks have about as many keys. */
  private static final class Sorted {
    final int count;
    private final int firstKey;
    private final int endKey;
    /** Number of keys at lower ranks. */
    private int below;
    /** Number of smaller keys at this rank, by key, from this rank's first key on. */
    private final int[] lesser;

    Sorted(Communicator world, int[] keys) {
      int size = world.size();
      MemorySegment mine = Mpi.allocate(4L * BUCKETS);
      for (int key : keys) {
        long at = key / KEYS_PER_BUCKET;
        mine.setAtIndex(ValueLayout.JAVA_INT, at, mine.getAtIndex(ValueLayout.JAVA_INT, at) + 1);
      }
      MemorySegment all = Mpi.allocate(4L * BUCKETS);
      world.allreduce(mine, all, Datatype.INT, Op.SUM);
      int[] ends = bucketEnds(all, size);
      int rank = world.rank();
      firstKey = (rank == 0 ? 0 : ends[rank - 1]) * KEYS_PER_BUCKET;
      endKey = ends[rank] * KEYS_PER_BUCKET;
      for (int bucket = 0; bucket < firstKey / KEYS_PER_BUCKET; bucket++) {
        below += all.getAtIndex(ValueLayout.JAVA_INT, bucket);
      }
      MemorySegment received = exchange(world, keys, ends);
      count = (int) (received.byteSize() / 4);
      lesser = new int[endKey - firstKey + 1];
      for (int i = 0; i < count; i++) {
        lesser[received.getAtIndex(ValueLayout.JAVA_INT, i) - firstKey + 1]++;
      }
      for (int i = 1; i < lesser.length; i++) {
        lesser[i] += lesser[i - 1];
      }
    }

    /** The bucket after the last one of each rank. */
    private static int[] bucketEnds(MemorySegment counts, int size) {
      int[] ends = new int[size];
      long total = 0;
      int rank = 0;
      for (int bucket = 0; bucket < BUCKETS; bucket++) {
        total += counts.getAtIndex(ValueLayout.JAVA_INT, bucket);
        while (rank < size - 1 && total >= (long) KEYS * (rank + 1) / size) {
          ends[rank++] = bucket + 1;
        }
      }
      while (rank < size) {
        ends[rank++] = BUCKETS;
      }
      return ends;
    }

    /** Sends each key to the rank of its bucket; returns the keys of this rank. */
    private static MemorySegment exchange(Communicator world, int[] keys, int[] ends) {
      int size = world.size();
      int[] rankOfBucket = new int[BUCKETS];
      for (int bucket = 0, rank = 0; bucket < BUCKETS; bucket++) {
        while (bucket >= ends[rank]) {
          rank++;
        }
        rankOfBucket[bucket] = rank;
      }
      int[] sendBytes = new int[size];
      for (int key : keys) {
        sendBytes[rankOfBucket[key / KEYS_PER_BUCKET]] += 4;
      }
      MemorySegment sizes = Mpi.allocate(4L * size);
      MemorySegment.copy(sendBytes, 0, sizes, ValueLayout.JAVA_INT, 0, size);
      MemorySegment theirs = Mpi.allocate(4L * size);
      world.alltoall(sizes, theirs);
      int[] receiveBytes = theirs.toArray(ValueLayout.JAVA_INT);
      int[] at = new int[size];
      int total = receiveBytes[0];
      for (int i = 1; i < size; i++) {
        at[i] = at[i - 1] + sendBytes[i - 1];
        total += receiveBytes[i];
      }
      MemorySegment out = Mpi.allocate(4L * keys.length);
      for (int key : keys) {
        int rank = rankOfBucket[key / KEYS_PER_BUCKET];
        out.set(ValueLayout.JAVA_INT, at[rank], key);
        at[rank] += 4;
      }
      MemorySegment in = Mpi.allocate(total);
      world.alltoallv(out, sendBytes, in, receiveBytes);
      return in;
    }

    boolean owns(int key) {
      return key >= firstKey && key < endKey;
    }

    /** Number of smaller keys at all ranks. */
    int rankOf(int key) {
      return below + lesser[key - firstKey];
    }

    /** Whether all keys at the previous rank are smaller than those here. */
    boolean isBehindTheRankBefore(Communicator world) {
      MemorySegment mine = Mpi.allocate(4);
      MemorySegment before = Mpi.allocate(4);
      mine.set(ValueLayout.JAVA_INT, 0, largest());
      int size = world.size();
      world.sendrecv(mine, (world.rank() + 1) % size, 0, before, (world.rank() + size - 1) % size, 0);
      return world.rank() == 0 || before.get(ValueLayout.JAVA_INT, 0) < smallest();
    }

    private int smallest() {
      for (int i = 1; i < lesser.length; i++) {
        if (lesser[i] > 0) {
          return firstKey + i - 1;
        }
      }
      return Integer.MAX_VALUE;
    }

    private int largest() {
      for (int i = lesser.length - 1; i > 0; i--) {
        if (lesser[i] > lesser[i - 1]) {
          return firstKey + i - 1;
        }
      }
      return -1;
    }
  }
}
