package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.SharedSpace;
import dev.weft.service.measure.LatencyRecorder;
import java.util.List;

/** Measures a barrier at which all threads meet again and again. */
final class BarrierBench extends Bench {
  static final String NAME = "barriers";

  private final LatencyRecorder meetings = new LatencyRecorder();

  BarrierBench(List<String> words) {
    super(words);
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    DsmBarrier barrier = node.barrier(NAME, threads);
    for (int i = -(iterations() + 4) / 5; i < iterations(); i++) {
      long startNs = System.nanoTime();
      barrier.await();
      if (thread == 0 && i >= 0) {
        meetings.record(System.nanoTime() - startNs);
      }
    }
  }

  @Override
  List<Row> rows() {
    return List.of(new Row("barrier, from one to the next", meetings.summarise(1)));
  }
}
