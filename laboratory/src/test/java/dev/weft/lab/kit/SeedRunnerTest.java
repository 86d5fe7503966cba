package dev.weft.lab.kit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkCounts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A workload that fails where it is told to shows what the kit does with any. */
class SeedRunnerTest {
  /** Fails for seeds above 100 while its size is 3 or more; with {@code isForgetful} each run has a trace of its own. */
  private record Size(int size) implements RunOptions<Size> {
    @Override
    public Map<String, String> fixed() {
      return size == 8 ? Map.of() : Map.of("--size", Integer.toString(size));
    }

    @Override
    public List<Cut<Size>> cuts() {
      return List.of(Cut.repeated(o -> o.size > 1 ? new Size(o.size - 1) : null));
    }
  }

  private static final class Toy implements Workload<Size> {
    private final boolean isForgetful;
    int runs;

    Toy(boolean isForgetful) {
      this.isForgetful = isForgetful;
    }

    @Override
    public String name() {
      return "toy";
    }

    @Override
    public String title() {
      return "fails where it is told to";
    }

    @Override
    public List<Parameter> parameters() {
      return List.of(Parameter.of("--size", "N", "its size"));
    }

    @Override
    public Size options(Given given) {
      return new Size(given.integer("--size", 8));
    }

    @Override
    public Simulation<Size> simulation() {
      return new Simulation<>() {
        @Override
        public Result run(long seed, Size options) {
          if (seed == 77) {
            throw new IllegalStateException("cannot be set up");
          }
          List<String> violations = seed > 100 && options.size >= 3 ? List.of("too large") : List.of();
          return new Result(seed, isForgetful ? ++runs : seed, 1, 1, new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0), Map.of(),
              Map.of("WRITE", 2, "READ", 1), Map.of("late", 1L), 0, "size " + options.size, violations, 1);
        }

        @Override
        public String chart(long seed, Size options, int lines) {
          return "chart of " + seed + " with " + lines + " lines\n";
        }
      };
    }

    @Override
    public List<String> operations() {
      return List.of("READ", "WRITE");
    }

    @Override
    public List<String> faults() {
      return List.of();
    }

    @Override
    public List<String> checkers() {
      return List.of();
    }

    @Override
    public List<PlantedBug> plantedBugs() {
      return List.of();
    }

    @Override
    public Map<String, Long> marks() {
      return new LinkedHashMap<>(Map.of("never", 0L));
    }
  }

  private static SeedRunner<Size> runner(boolean isForgetful) {
    return new SeedRunner<>(new Toy(isForgetful), new Size(8), 5);
  }

  @Test
  void shouldAddRunsUpAndRepeatFiveInAHundred() {
    Report report = runner(false).run(1, 60);
    assertTrue(report.isClean());
    assertEquals(3, report.repeated());
    assertEquals("{READ=60, WRITE=120}", report.operations().toString(), "in the workload's order");
    assertEquals(List.of("never"), report.marksNeverHit());
  }

  @Test
  void shouldNoticeThatARepeatedRunTakesAnotherWay() {
    Report report = runner(true).run(1, 20);
    assertEquals(1, report.failureCount());
    String told = report.failures().getFirst().describe();
    assertTrue(told.startsWith("seed 20 failed: ") && told.contains("the second run took another way")
        && told.endsWith("replay: ./weft sim --workload toy --seeds 20..20"), told);
  }

  @Test
  void shouldCutTheFirstFailuresDownAndDrawThemAndTellOfEachWhenItHappens() {
    List<String> told = new ArrayList<>();
    Report report = runner(false).run(101, 105, () -> false, new SeedRunner.Observer() {
      @Override
      public void onFailing(Result result) {
        told.add("failing " + result.seed());
      }

      @Override
      public void onFailed(Failure failure) {
        told.add(failure.replay());
      }
    });
    assertEquals(5, report.failureCount());
    assertEquals(List.of("failing 101", "./weft sim --workload toy --seeds 101..101 --size 3"), told.subList(0, 2));
    assertEquals("seed 101 failed: size 3\n  too large\nchart of 101 with 5 lines\n  replay: ./weft sim --workload toy --seeds 101..101 --size 3",
        report.failures().getFirst().describe());
    assertEquals("./weft sim --workload toy --seeds 105..105", report.failures().getLast().replay(), "only the first ones");
  }

  @Test
  void shouldEndWithTheSeedUnderWayWhenThatIsEnough() {
    long[] last = new long[1];
    Report some = runner(false).run(1, Long.MAX_VALUE, () -> last[0] == 3, new SeedRunner.Observer() {
      @Override
      public void onRun(Result result) {
        last[0] = result.seed();
      }
    });
    assertEquals(3, some.seeds());
  }

  @Test
  void shouldRefuseAnEmptyRange() {
    assertThrows(IllegalArgumentException.class, () -> runner(false).run(5, 4));
  }

  @Test
  void shouldFindTheWorkloadsOfTheClassPath() {
    assertEquals(List.of("dsm", "dsm-litmus", "pager", "pvfs", "pvfs-appends", "rc"), Workloads.all().stream().map(Workload::name).sorted().toList());
    for (Workload<?> workload : Workloads.all()) {
      boolean looksAtOnePromise = List.of("dsm-litmus", "pvfs-appends").contains(workload.name()); // Of those that another one looks at.
      int bugs = looksAtOnePromise ? 2 : workload.name().equals("pvfs") ? 15 : 20;
      assertTrue(workload.plantedBugs().size() > bugs && workload.checkers().size() > (looksAtOnePromise ? 1 : 3)
          && !workload.parameters().isEmpty(), workload.name());
    }
  }

  @Test
  void shouldNameTheSeedOfARunThatThrows() {
    Toy toy = new Toy(false);
    Report report = new SeedRunner<>(toy, new Size(8), 0).run(76, 78);
    assertEquals(3, report.seeds());
    assertEquals(1, report.failureCount());
    assertEquals(77, report.failures().getFirst().seed());
    assertTrue(report.failures().getFirst().violations().getFirst().contains("cannot be set up"), report.failures().toString());
  }
}
