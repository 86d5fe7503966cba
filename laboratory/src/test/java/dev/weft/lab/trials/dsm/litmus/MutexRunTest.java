package dev.weft.lab.trials.dsm.litmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.trials.dsm.litmus.FakeFabric.Kind;
import org.junit.jupiter.api.Test;

class MutexRunTest {
  private static final long SEED = 9;

  private static MutexReport run(Kind kind, MutexAlgorithm algorithm, Placement placement, int threads, int entriesEach, long pausesMax) {
    Baton baton = new Baton(SEED);
    FakeFabric fabric = new FakeFabric(kind, baton::step);
    MutexReport report = MutexRun.run(algorithm, "mutex", placement, fabric.spaces(threads), entriesEach, pausesMax, baton,
        _ -> baton.step());
    assertTrue(fabric.arrays.isEmpty(), "all arrays are given back");
    return report;
  }

  private static int threads(MutexAlgorithm algorithm) {
    return Math.min(3, algorithm.threadsMax());
  }

  @Test
  void shouldExcludeOnMemoryThatIsRight() {
    for (MutexAlgorithm algorithm : MutexAlgorithm.values()) {
      for (Placement placement : Placement.values()) {
        MutexReport report = run(Kind.SEQUENTIAL, algorithm, placement, threads(algorithm), 50, 100_000);
        assertTrue(report.holds(), "seed " + SEED + ": " + report);
        assertEquals(50 * threads(algorithm), report.entries());
      }
    }
  }

  @Test
  void shouldFindWritesThatWaitInABuffer() {
    for (MutexAlgorithm algorithm : MutexAlgorithm.values()) {
      MutexReport report = run(Kind.STORE_BUFFER, algorithm, Placement.ONE_PAGE, threads(algorithm), 1_000, 100_000);
      assertTrue(report.intrusions() > 0 || report.lost() > 0, "seed " + SEED + ": " + report);
    }
  }

  @Test
  void shouldFindCopiesThatAreOld() {
    for (MutexAlgorithm algorithm : MutexAlgorithm.values()) {
      MutexReport report = run(Kind.STALE_COPIES, algorithm, Placement.ONE_MINIPAGE, threads(algorithm), 100, 100_000);
      assertTrue(report.intrusions() > 0 || report.lost() > 0, "seed " + SEED + ": " + report);
    }
  }

  @Test
  void shouldGiveUpWhereItWaitsTooLong() {
    MutexReport report = run(Kind.SEQUENTIAL, MutexAlgorithm.PETERSON, Placement.ONE_PAGE, 2, 100, 1);
    assertTrue(report.stuck() > 0, "seed " + SEED + ": " + report);
    assertFalse(report.holds());
    assertEquals(0, report.intrusions() + report.lost(), "seed " + SEED + ": " + report);
  }

  @Test
  void shouldRunOnPlatformThreads() {
    for (MutexAlgorithm algorithm : MutexAlgorithm.values()) {
      FakeFabric fabric = new FakeFabric(Kind.SEQUENTIAL, () -> { });
      MutexReport report = MutexRun.run(algorithm, "mutex", Placement.ONE_PAGE, fabric.spaces(2), 2_000, MutexRun.PAUSES_MAX,
          new PlatformThreads("mutex-"), Backoff.yielding());
      assertTrue(report.holds(), report.toString());
    }
  }

  @Test
  void shouldRefuseThreadsThatAnAlgorithmIsNotFor() {
    refused(MutexAlgorithm.PETERSON, 3, 1);
    refused(MutexAlgorithm.DEKKER, 1, 1);
    refused(MutexAlgorithm.BAKERY, 17, 1);
    refused(MutexAlgorithm.BAKERY, 2, 0);
  }

  private static void refused(MutexAlgorithm algorithm, int threads, int entriesEach) {
    FakeFabric fabric = new FakeFabric(Kind.SEQUENTIAL, () -> { });
    assertThrows(IllegalArgumentException.class, () -> MutexRun.run(algorithm, "mutex", Placement.ONE_PAGE, fabric.spaces(threads),
        entriesEach, 1, new PlatformThreads("mutex-"), Backoff.yielding()));
  }
}
