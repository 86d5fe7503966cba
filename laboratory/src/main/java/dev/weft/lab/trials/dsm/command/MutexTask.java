package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.SharedSpace;
import dev.weft.lab.trials.dsm.litmus.Backoff;
import dev.weft.lab.trials.dsm.litmus.MutexAlgorithm;
import dev.weft.lab.trials.dsm.litmus.MutexReport;
import dev.weft.lab.trials.dsm.litmus.MutexRun;
import dev.weft.lab.trials.dsm.litmus.Placement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Locks made of reads and writes alone, in each placement, which all threads of a team enter; algorithms for fewer threads are left out. */
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
  public void play(int thread, int threads, SharedSpace node) {
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

  @Override
  public List<String> results() {
    return reports.stream().map(report -> report.algorithm().name() + " " + report.placement() + " " + report.threads() + " " + report.entries() + " "
        + report.intrusions() + " " + report.lost() + " " + report.stuck()).toList();
  }

  @Override
  public void accept(List<String> results) {
    for (String line : results) {
      String[] parts = line.split(" ");
      reports.add(new MutexReport(MutexAlgorithm.valueOf(parts[0]), Placement.valueOf(parts[1]), Integer.parseInt(parts[2]), Long.parseLong(parts[3]),
          Long.parseLong(parts[4]), Long.parseLong(parts[5]), Integer.parseInt(parts[6])));
    }
  }

  /** The reports, in the JVM of the first thread. */
  List<MutexReport> reports() {
    return reports;
  }
}
