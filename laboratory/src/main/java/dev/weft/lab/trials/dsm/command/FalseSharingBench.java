package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.service.measure.LatencyRecorder;
import java.util.ArrayList;
import java.util.List;

/**
 * Measures false sharing. Each thread writes words of its own, 128 bytes apart, on one page: first with minipages of 128 bytes, then with one
 * minipage for the whole page.
 */
final class FalseSharingBench extends Bench {
  static final String NAME = "false-sharing";
  private static final int SLOT_BYTES = 128;
  private static final int SLOT_WORDS = SLOT_BYTES / Long.BYTES;
  private static final int PAGE_WORDS = SharingUnit.PAGE_BYTES / Long.BYTES;
  private static final int SLOTS = SharingUnit.PAGE_BYTES / SLOT_BYTES;
  private static final int CHUNK = 100;

  private final LatencyRecorder apart = new LatencyRecorder();
  private final LatencyRecorder together = new LatencyRecorder();
  private final LatencyRecorder releases = new LatencyRecorder();
  private final Consistency consistency;
  private long faultsApart;
  private long faultsTogether;

  FalseSharingBench(List<String> words) {
    super(words);
    consistency = Consistency.of("the consistency", words.get(2));
  }

  @Override
  public void play(int thread, int threads, SharedSpace space) {
    if (!(space instanceof DsmNode node)) {
      throw new IllegalArgumentException("false sharing counts the faults of a node, and needs one");
    }
    long apartFaults = write(thread, threads, node, "apart", SharingUnit.bytes(SLOT_BYTES), apart);
    long togetherFaults = write(thread, threads, node, "together", SharingUnit.pages(1), together);
    if (thread == 0) {
      faultsApart = apartFaults;
      faultsTogether = togetherFaults;
    }
    if (consistency == Consistency.RELEASE) {
      release(thread, threads, node);
    }
  }

  /** Returns the faults of this thread's node after the first round. */
  private long write(int thread, int threads, DsmNode node, String name, SharingUnit unit, LatencyRecorder recorder) {
    SharedLongs page = node.longs(name, PAGE_WORDS, unit, consistency);
    DsmBarrier barrier = node.barrier(name + "-barrier", threads);
    long slot = (long) (thread % SLOTS) * SLOT_WORDS;
    page.set(slot, 1);
    barrier.await();
    long before = node.inspect().writeFaults();
    barrier.await();
    for (int i = 0; i < iterations(); i += CHUNK) {
      long startNs = System.nanoTime();
      for (int j = 0; j < CHUNK; j++) {
        page.set(slot, i + j);
      }
      if (thread == 0) {
        recorder.record((System.nanoTime() - startNs) / CHUNK);
      }
    }
    barrier.await();
    return node.inspect().writeFaults() - before;
  }

  /** Measures a release after some writes, while all nodes have a copy. */
  private void release(int thread, int threads, DsmNode node) {
    SharedLongs page = node.longs("together", PAGE_WORDS, SharingUnit.pages(1), consistency);
    DsmBarrier barrier = node.barrier("together-barrier", threads);
    long slot = (long) (thread % SLOTS) * SLOT_WORDS;
    for (int i = 0; i < iterations(); i += CHUNK) {
      page.set(slot, -i - 1);
      long startNs = System.nanoTime();
      node.release();
      if (thread == 0) {
        releases.record(System.nanoTime() - startNs);
      }
    }
    barrier.await();
  }

  @Override
  List<Row> rows() {
    List<Row> rows = new ArrayList<>(List.of(new Row("a write, minipages of 128 bytes (" + faultsApart + " faults of the first node)", apart.summarise(1)),
        new Row("a write, one minipage for the page (" + faultsTogether + " faults of the first node)", together.summarise(1))));
    if (consistency == Consistency.RELEASE) {
      rows.add(new Row("a release after a write, one minipage for the page", releases.summarise(1)));
    }
    return rows;
  }
}
