package dev.weft.lab.trials.dsm.litmus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.trials.dsm.litmus.FakeFabric.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class LitmusRunTest {
  private static final long SEED = 4;

  /** In an order that the seed gives, so that what is seen is seen again. */
  private static LitmusReport play(Kind kind, LitmusShape shape, Placement placement, int rounds, int onlookers) {
    Baton baton = new Baton(SEED);
    FakeFabric fabric = new FakeFabric(kind, baton::step);
    LitmusReport report = LitmusRun.run(shape, fabric.spaces(shape.threads().size() + onlookers),
        new LitmusSettings("litmus", placement, rounds, 16, 2, SEED), baton, _ -> baton.step());
    assertEquals(List.of(), List.copyOf(fabric.arrays.keySet()), "all arrays are given back");
    assertEquals(rounds, report.seen().values().stream().mapToLong(Long::longValue).sum(), report.toString());
    return report;
  }

  @Test
  void shouldSeeNothingForbiddenOnMemoryThatIsRight() {
    for (LitmusShape shape : LitmusShapes.all()) {
      LitmusReport report = play(Kind.SEQUENTIAL, shape, Placement.ONE_PAGE, 250, 0);
      assertTrue(report.holds(), "seed " + SEED + "\n" + report);
      assertTrue(report.allowedSeen().size() >= Math.min(3, report.outcomes().allowed().size()), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  void shouldPlayInEachPlacementAndWithOnlookers() {
    for (Placement placement : Placement.values()) {
      LitmusReport report = play(Kind.SEQUENTIAL, LitmusShapes.named("2+2W"), placement, 100, 1);
      assertTrue(report.holds(), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  void shouldSeeEachAllowedOutcomeOfTheSmallShapes() {
    for (String name : List.of("SB", "MP", "LB", "CoRR", "2+2W")) {
      LitmusReport report = play(Kind.SEQUENTIAL, LitmusShapes.named(name), Placement.ONE_MINIPAGE, 600, 0);
      assertEquals(report.outcomes().allowed(), report.allowedSeen(), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  void shouldFindWritesThatWaitInABuffer() {
    for (String name : List.of("SB", "R", "Z6.4")) {
      LitmusReport report = play(Kind.STORE_BUFFER, LitmusShapes.named(name), Placement.SEVERAL_PAGES, 400, 0);
      assertFalse(report.holds(), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  void shouldFindWritesThatOvertakeOthers() {
    for (String name : List.of("MP", "S", "2+2W", "Z6.1", "Z6.2", "Z6.3", "Z6.5")) {
      LitmusReport report = play(Kind.OVERTAKING_WRITES, LitmusShapes.named(name), Placement.ONE_PAGE, 400, 0);
      assertFalse(report.holds(), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  void shouldFindWordsThatAreNotCoherent() {
    for (String name : List.of("CoRR", "CoWW", "CoWR")) {
      LitmusReport report = play(Kind.INCOHERENT, LitmusShapes.named(name), Placement.ONE_PAGE, 400, 0);
      assertFalse(report.holds(), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  void shouldFindCopiesThatAreOld() {
    for (String name : List.of("SB", "MP", "WRC", "IRIW", "ISA2")) {
      LitmusReport report = play(Kind.STALE_COPIES, LitmusShapes.named(name), Placement.ONE_MINIPAGE, 600, 0);
      assertFalse(report.holds(), "seed " + SEED + "\n" + report);
    }
  }

  @Test
  @Timeout(300)
  void shouldPlayOnPlatformThreads() {
    for (LitmusShape shape : LitmusShapes.all()) {
      FakeFabric fabric = new FakeFabric(Kind.SEQUENTIAL, Thread::yield);
      LitmusReport report = LitmusRun.run(shape, fabric.spaces(shape.threads().size()),
          LitmusSettings.of("litmus", Placement.ONE_MINIPAGE, 1_000, SEED), new PlatformThreads("litmus-"), Backoff.yielding());
      assertTrue(report.holds(), report.toString());
    }
  }

  @Test
  void shouldEndWhenAThreadFails() {
    IllegalStateException failure = assertThrows(IllegalStateException.class, () -> new PlatformThreads("fails-").run(List.of(
        () -> {
          while (!Thread.currentThread().isInterrupted()) {
            Thread.onSpinWait();
          }
        },
        () -> {
          throw new IllegalStateException("planted");
        })));
    assertEquals("planted", failure.getMessage());
  }

  @Test
  void shouldRefuseWhatCannotBePlayed() {
    FakeFabric fabric = new FakeFabric(Kind.SEQUENTIAL, Thread::yield);
    assertThrows(IllegalArgumentException.class, () -> LitmusRun.run(LitmusShapes.named("IRIW"), fabric.spaces(3),
        LitmusSettings.of("litmus", Placement.ONE_PAGE, 1, SEED), new PlatformThreads("litmus-"), Backoff.yielding()));
    assertThrows(IllegalArgumentException.class, () -> LitmusSettings.of("", Placement.ONE_PAGE, 1, SEED));
    assertThrows(IllegalArgumentException.class, () -> LitmusSettings.of("a", Placement.ONE_PAGE, 0, SEED));
    assertThrows(IllegalArgumentException.class, () -> new LitmusSettings("a", Placement.ONE_PAGE, 1, 1 << 17, 1, SEED));
  }
}
