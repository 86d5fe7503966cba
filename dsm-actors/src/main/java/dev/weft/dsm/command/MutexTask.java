package dev.weft.dsm.command;

import dev.weft.dsm.litmus.Backoff;
import dev.weft.dsm.litmus.MutexAlgorithm;
import dev.weft.dsm.litmus.MutexReport;
import dev.weft.dsm.litmus.MutexRun;
import dev.weft.dsm.litmus.Placement;
import dev.weft.dsm.node.DsmNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Locks made of reads and writes alone, in each placement, entered by all threads of a team; those for fewer threads are left out. */
final class MutexTask implements Task {
  static final String NAME = "mutex";

  private final List<String> words;
  private final int entries;
  private final List<MutexReport> reports = new ArrayList<>();

  /** @param words name, entries of all threads together */
  MutexTask(List<String> words) {
    this.words = List.copyOf(words);
    this.entries = Integer.parseInt(words.get(1));
  }

  @Override
  public List<String> words() {
    return words;
  }

  @Override
  public void play(int thread, int threads, DsmNode node) {
    for (MutexAlgorithm algorithm : MutexAlgorithm.values()) {
      if (threads >= algorithm.threadsMin() && threads <= algorithm.threadsMax()) {
        for (Placement placement : Placement.values()) {
          String name = (algorithm + "-" + placement).toLowerCase(Locale.ROOT).replace('_', '-');
          MutexRun.playPart(algorithm, name, placement, node, thread, threads, Math.max(1, entries / threads), Backoff.yielding())
              .ifPresent(reports::add);
        }
      }
    }
  }

  /** In the JVM of the first thread. */
  List<MutexReport> reports() {
    return reports;
  }
}
