package dev.weft.dsm.command;

import dev.weft.service.measure.LatencyRecorder;
import java.util.List;

/** A measurement; its rows are known to the JVM of the first thread when all have ended. */
abstract class Bench implements Task {
  /**
   * What was measured.
   *
   * @param what in words
   * @param latency in microseconds
   */
  record Row(String what, LatencyRecorder.Summary latency) {}

  /**
   * How many messages faults waited for.
   *
   * @param what in words
   * @param faults that were served
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

  /** Hops of what was measured, in the JVM of the first thread; empty where they are not counted. */
  List<Hops> hops() {
    return List.of();
  }

  /** What was measured, in the JVM of the first thread. */
  abstract List<Row> rows();
}
