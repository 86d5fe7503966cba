package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.dsm.report.DsmSnapshot;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts the messages that faults wait for, one after the other, in patterns in which the places of homes matter. Each home counts what it has
 * served; the counts are added up while no fault is running. The first rounds, in which each node first accesses each page, do not count.
 */
final class HopsBench extends Bench {
  static final String NAME = "hops";
  private static final int PAGES = 64;
  private static final int WORDS = SharingUnit.PAGE_BYTES / Long.BYTES;
  private static final int NODES_MAX = 64;
  private static final int FIRST_ROUNDS = 3;

  /** A thread's part of a round. */
  private interface Part {
    void play(SharedLongs pages, int round, int thread, int threads);
  }

  private final List<Hops> found = new ArrayList<>();

  HopsBench(List<String> words) {
    super(words);
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    measure("migratory: one thread after the other changes all pages", HopsBench::migrate, thread, threads, (DsmNode) node);
    measure("one writer, which is not the first home, and readers", HopsBench::publish, thread, threads, (DsmNode) node);
    measure("each writes its pages, which are not its own at first, and the next reads them", HopsBench::exchange, thread, threads, (DsmNode) node);
  }

  private void measure(String what, Part part, int thread, int threads, DsmNode node) {
    String name = NAME + "-" + what.charAt(0) + what.length();
    SharedLongs pages = node.longs(name, (long) PAGES * threads * WORDS, SharingUnit.pages(1));
    SharedLongs counts = node.longs(name + "-counts", 2L * NODES_MAX * WORDS, SharingUnit.pages(1));
    DsmBarrier barrier = node.barrier(name + "-barrier", threads);
    rounds(part, 0, FIRST_ROUNDS * threads, pages, thread, threads, barrier);
    DsmSnapshot before = node.inspect();
    barrier.await();
    rounds(part, FIRST_ROUNDS * threads, iterations(), pages, thread, threads, barrier);
    DsmSnapshot after = node.inspect();
    barrier.await();
    counts.set((long) node.node() * WORDS, after.served() - before.served());
    counts.set((long) (NODES_MAX + node.node()) * WORDS, after.hops() - before.hops());
    barrier.await();
    if (thread == 0) {
      found.add(new Hops(what, sum(counts, 0), sum(counts, NODES_MAX)));
    }
    barrier.await();
  }

  private static long sum(SharedLongs counts, int from) {
    long sum = 0;
    for (int node = 0; node < NODES_MAX; node++) {
      sum += counts.get((long) (from + node) * WORDS);
    }
    return sum;
  }

  /** All threads meet after each half of a round: data written in one half is read in the other. */
  private static void rounds(Part part, int from, int count, SharedLongs pages, int thread, int threads, DsmBarrier barrier) {
    for (int round = from; round < from + count; round++) {
      part.play(pages, 2 * round, thread, threads);
      barrier.await();
      part.play(pages, 2 * round + 1, thread, threads);
      barrier.await();
    }
  }

  private static void migrate(SharedLongs pages, int half, int thread, int threads) {
    for (int page = 0; half % threads == thread && page < PAGES; page++) {
      pages.getAndAdd((long) page * WORDS, 1);
    }
  }

  private static void publish(SharedLongs pages, int half, int thread, int threads) {
    boolean isWriter = thread == threads - 1;
    for (int page = 0; page < PAGES; page++) {
      if (half % 2 == 0 && isWriter) {
        pages.set((long) page * WORDS, half);
      } else if (half % 2 == 1 && !isWriter) {
        pages.get((long) page * WORDS);
      }
    }
  }

  private static void exchange(SharedLongs pages, int half, int thread, int threads) {
    int block = half % 2 == 0 ? (thread + 1) % threads : (thread + 2) % threads;
    for (long page = (long) block * PAGES; page < (block + 1L) * PAGES; page++) {
      if (half % 2 == 0) {
        pages.set(page * WORDS, half);
      } else {
        pages.get(page * WORDS);
      }
    }
  }

  @Override
  List<Hops> hops() {
    return found;
  }

  @Override
  List<Row> rows() {
    return List.of();
  }
}
