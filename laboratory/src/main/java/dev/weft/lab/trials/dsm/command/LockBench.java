package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedSpace;
import dev.weft.service.measure.LatencyRecorder;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Measures locks: the first thread acquires locks that the second thread's node has, each for the first time from there, then again when its own node
 * has them.
 */
final class LockBench extends Bench {
  static final String NAME = "locks";
  private static final int LOCKS = 64;
  /** Repetitions, because one acquisition of a local lock is shorter than a reading of the clock. */
  private static final int AGAIN = 100;

  private final LatencyRecorder handOvers = new LatencyRecorder();
  private final LatencyRecorder again = new LatencyRecorder();

  LockBench(List<String> words) {
    super(words);
  }

  @Override
  public void play(int thread, int threads, SharedSpace node) {
    DsmLock[] locks = IntStream.range(0, LOCKS).mapToObj(i -> node.lock(NAME + "-" + i)).toArray(DsmLock[]::new);
    DsmBarrier barrier = node.barrier(NAME + "-barrier", threads);
    int rounds = (iterations() + LOCKS - 1) / LOCKS;
    for (int round = -(rounds + 4) / 5; round < rounds; round++) {
      if (thread == 1) {
        for (DsmLock lock : locks) {
          lock.acquire();
          lock.release();
        }
      }
      barrier.await();
      if (thread == 0) {
        for (DsmLock lock : locks) {
          measure(lock, round >= 0);
        }
      }
      barrier.await();
    }
  }

  private void measure(DsmLock lock, boolean counts) {
    long startNs = System.nanoTime();
    lock.acquire();
    long gotNs = System.nanoTime();
    lock.release();
    long releasedNs = System.nanoTime();
    for (int i = 0; i < AGAIN; i++) {
      lock.acquire();
      lock.release();
    }
    long endNs = System.nanoTime();
    if (counts) {
      handOvers.record(gotNs - startNs);
      again.record((endNs - releasedNs) / AGAIN);
    }
  }

  @Override
  List<Row> rows() {
    return List.of(new Row("lock that another node has", handOvers.summarise(1)),
        new Row("lock that this node had last, with its release", again.summarise(1)));
  }
}
