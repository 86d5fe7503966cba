package dev.weft.lab.trials.dsm.command;

import dev.weft.service.measure.LatencyRecorder;
import java.util.List;

/** A measurement. When all threads have ended, the JVM of the first thread has its rows. */
abstract class Bench implements Task {
  /**
   * A measured latency.
   *
   * @param what what was measured
   * @param latency in microseconds
   */
  record Row(String what, LatencyRecorder.Summary latency) {}

  /**
   * The messages that faults waited for.
   *
   * @param what what was measured
   * @param faults number of served faults
   * @param hops messages between nodes that they waited for, one after the other
   */
  record Hops(String what, long faults, long hops) {
    double each() {
      return faults == 0 ? 0 : hops / (double) faults;
    }
  }

  private final List<String> words;
  private final int iterations;

  /** @param words name and iterations */
  Bench(List<String> words) {
    this.words = List.copyOf(words);
    this.iterations = Integer.parseInt(words.get(1));
  }

  @Override
  public final List<String> words() {
    return words;
  }

  final int iterations() {
    return iterations;
  }

  /** Measured hops, in the JVM of the first thread; empty if the measurement counts none. */
  List<Hops> hops() {
    return List.of();
  }

  /** Measured latencies, in the JVM of the first thread. */
  abstract List<Row> rows();
}
