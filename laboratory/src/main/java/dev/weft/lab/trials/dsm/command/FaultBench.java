package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.service.measure.LatencyRecorder;
import java.util.List;

/**
 * Measures faults of one thread for pages of another node. The second thread writes all pages; the first reads all, writes all, and so on. Every
 * access of the first thread is a fault for one page.
 */
final class FaultBench extends Bench {
  static final String NAME = "faults";
  private static final int PAGES = 256;
  private static final int WORDS = SharingUnit.PAGE_BYTES / Long.BYTES;

  private final LatencyRecorder reads = new LatencyRecorder();
  private final LatencyRecorder upgrades = new LatencyRecorder();
  private final LatencyRecorder writes = new LatencyRecorder();

  FaultBench(List<String> words) {
    super(words);
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    SharedLongs pages = node.longs(NAME, (long) PAGES * WORDS, SharingUnit.pages(1));
    DsmBarrier barrier = node.barrier(NAME + "-barrier", threads);
    int rounds = (iterations() + PAGES - 1) / PAGES;
    for (int round = -(rounds + 4) / 5; round < rounds; round++) {
      if (thread == 1) {
        writeAll(pages, round, null);
      }
      barrier.await();
      if (thread == 0) {
        readAll(pages, round, recorder(round, reads));
        writeAll(pages, round, recorder(round, upgrades));
      }
      barrier.await();
      if (thread == 1) {
        writeAll(pages, round, null);
      }
      barrier.await();
      if (thread == 0) {
        writeAll(pages, round, recorder(round, writes));
      }
      barrier.await();
    }
  }

  /** The first rounds only warm up the compilers. */
  private static LatencyRecorder recorder(int round, LatencyRecorder recorder) {
    return round < 0 ? null : recorder;
  }

  private static void readAll(SharedLongs pages, int round, LatencyRecorder recorder) {
    for (int page = 0; page < PAGES; page++) {
      long startNs = System.nanoTime();
      long value = pages.get((long) page * WORDS);
      record(recorder, startNs);
      if (value != round) {
        throw new IllegalStateException("page " + page + " has " + value + ", must be " + round);
      }
    }
  }

  private static void writeAll(SharedLongs pages, int round, LatencyRecorder recorder) {
    for (int page = 0; page < PAGES; page++) {
      long startNs = System.nanoTime();
      pages.set((long) page * WORDS, round);
      record(recorder, startNs);
    }
  }

  private static void record(LatencyRecorder recorder, long startNs) {
    if (recorder != null) {
      recorder.record(System.nanoTime() - startNs);
    }
  }

  @Override
  List<Row> rows() {
    return List.of(new Row("read miss, 4 KiB, another node writes it", reads.summarise(1)),
        new Row("write of a page of which both have a copy", upgrades.summarise(1)),
        new Row("write miss, 4 KiB, another node writes it", writes.summarise(1)));
  }
}
