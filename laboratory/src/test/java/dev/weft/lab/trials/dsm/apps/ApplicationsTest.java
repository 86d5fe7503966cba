package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedSpace;
import dev.weft.lab.trials.dsm.local.LocalSpace;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("slow")
class ApplicationsTest {
  private record One(int index, int count, SharedSpace space, String run, Map<Operation, Long> done) implements Worker {
    @Override
    public void compute(Operation operation, long count) {
      assertTrue(count >= 0, operation + " " + count);
      done.merge(operation, count, Long::sum);
    }
  }

  private static List<Application> all() {
    return Applications.all();
  }

  private static One worker(SharedSpace space, String run) {
    return new One(0, 1, space, run, new EnumMap<>(Operation.class));
  }

  @Test
  void shouldBeTheEightOfThePaper() {
    assertEquals(List.of("sor", "lu", "is", "tsp", "water", "nbody", "nbodyw", "barnes"), all().stream().map(Application::name).toList());
    assertThrows(IllegalArgumentException.class, () -> Applications.byName("fft"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldRunTwiceInOneSpaceAndGiveTheArraysBack(Application application) {
    try (LocalSpace space = LocalSpace.forOneThread()) {
      for (int i = 0; i < 2; i++) {
        Work work = application.work(worker(space, "run"), application.sizes().getFirst());
        work.prepare();
        work.run();
        work.gather();
        Runs.assertVerified(work.outcome());
        work.free();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldSayWhatItDidBesidesSharing(Application application) {
    try (LocalSpace space = LocalSpace.forOneThread()) {
      One worker = worker(space, "run");
      Work work = application.work(worker, application.sizes().getFirst());
      work.prepare();
      work.run();
      assertTrue(worker.done().values().stream().mapToLong(Long::longValue).sum() > 10_000, worker.done().toString());
    }
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldRunWithSixtyFourWorkers(Application application) {
    String size = application.sizes().getFirst();
    Outcome shared = Runs.assertVerified(LocalRun.threads(application, size, 64));
    assertTrue(shared.against(LocalRun.sequential(application, size)).passed());
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldNotPassForAnotherApplication(Application application) {
    Application other = application.name().equals("sor") ? Applications.byName("lu") : Applications.byName("sor");
    Outcome one = LocalRun.sequential(application, application.sizes().getFirst());
    assertFalse(one.against(LocalRun.sequential(other, "small")).passed());
  }

  @Test
  void shouldRefuseWorkersThatAreOutOfRange() {
    try (LocalSpace space = LocalSpace.forThreads()) {
      Application sor = Applications.byName("sor");
      assertThrows(IllegalArgumentException.class, () -> sor.work(new One(0, 65, space, "run", Map.of()), "small"));
      assertThrows(IllegalArgumentException.class, () -> sor.work(new One(2, 2, space, "run", Map.of()), "small"));
      assertThrows(IllegalArgumentException.class, () -> sor.work(new One(0, 1, space, "x".repeat(41), Map.of()), "small"));
    }
  }

  @Test
  void shouldSayWhatAWorkerFailedOf() {
    Throwable cause = assertThrows(IllegalStateException.class, () -> LocalRun.threads(Applications.byName("sor"), "none", 3)).getCause();
    assertInstanceOf(IllegalArgumentException.class, cause);
  }

  @Test
  void shouldShareAllWithoutAGap() {
    for (int count = 1; count <= 64; count++) {
      int next = 0;
      for (int index = 0; index < count; index++) {
        Share share = Share.of(37, index, count);
        assertEquals(next, share.from());
        assertTrue(share.size() >= 37 / count && share.size() <= 37 / count + 1);
        next = share.to();
      }
      assertEquals(37, next);
    }
  }
}
