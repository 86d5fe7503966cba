package dev.weft.lab.seed001;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.figures.Figures;
import dev.weft.lab.hosts.SwapProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Programs in too little memory: their data must come back, and the costs must add up. */
@Tag("slow")
class SwapRunTest {
  private static final SwapProfile PROFILE = SwapProfile.load("ib-2005-xeon", Figures.load().calibration());
  private static final int SCALE = 256;
  /** 4 MB of data in 2 MB less what the kernel keeps. */
  private static final int WORDS = 1 << 20;

  private static Machine machine(Backing backing) {
    return new Machine(backing, 512, 1024, 1, SCALE, false);
  }

  /** Sorts and looks at the result. */
  private record CheckedSort(QuickSort sort, long seed, List<String> problems) implements Program {
    CheckedSort(long seed, List<String> problems) {
      this(new QuickSort(WORDS, seed, 500), seed, problems);
    }

    @Override
    public int words() {
      return sort.words();
    }

    @Override
    public void run(PagedInts memory) {
      sort.run(memory);
      SplittableRandom random = new SplittableRandom(seed);
      int[] expected = new int[WORDS];
      Arrays.setAll(expected, i -> random.nextInt());
      Arrays.sort(expected);
      for (int i = 0; i < WORDS; i++) {
        if (memory.get(i) != expected[i]) {
          problems.add("seed " + seed + ": word " + i + " is " + memory.get(i) + ", must be " + expected[i]);
          return;
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Backing.class)
  void shouldSortThroughEveryDevice(Backing backing) {
    List<String> problems = new ArrayList<>();
    SwapRun run = SwapRun.of(PROFILE, machine(backing), 5, List.of(new CheckedSort(5, problems)));
    assertEquals(List.of(), problems);
    assertEquals(backing == Backing.LOCAL, run.stats().pagesOut == 0, "swapped " + run.stats().pagesOut);
  }

  @ParameterizedTest
  @EnumSource(value = Backing.class, names = {"HPBD", "DISK"})
  void shouldSortTwiceAtOnceWithAndWithoutAKernelThread(Backing backing) {
    for (boolean background : new boolean[] {false, true}) {
      List<String> problems = new ArrayList<>();
      Machine machine = new Machine(backing, 512, 2048, 3, SCALE, background);
      SwapRun run = SwapRun.of(PROFILE, machine, 6, List.of(new CheckedSort(6, problems), new CheckedSort(7, problems)));
      assertEquals(List.of(), problems, "background " + background);
      assertTrue(run.stats().pagesIn > 0);
    }
  }

  @Test
  void shouldLeaveTheSameTraceWhenASeedIsRepeated() {
    SwapRun first = SwapRun.of(PROFILE, machine(Backing.HPBD), 9, List.of(new QuickSort(WORDS, 9, 500)));
    SwapRun second = SwapRun.of(PROFILE, machine(Backing.HPBD), 9, List.of(new QuickSort(WORDS, 9, 500)));
    assertEquals(first.traceHash(), second.traceHash());
    assertEquals(first.programNs(), second.programNs());
  }

  @Test
  void shouldTakeExactlyWhatIsChargedWhenEverythingFits() {
    SwapRun run = SwapRun.of(PROFILE, machine(Backing.LOCAL), 1, List.of(new SequentialWrite(WORDS, 2_000)));
    long expected = (WORDS / 1024 * PROFILE.us("kernel.fault") + WORDS * 2L) * SCALE;
    assertEquals(expected, run.programNs().getFirst());
  }

  @Test
  void shouldWriteASequentialArrayOnceInLongRequestsAndReadNothing() {
    SwapRun run = SwapRun.of(PROFILE, machine(Backing.HPBD), 1, List.of(new SequentialWrite(WORDS, 2_000)));
    assertEquals(0, run.stats().pagesIn);
    assertTrue(run.stats().pagesOut >= 1024 - 480 && run.stats().pagesOut <= 1024 - 480 + 64, "pages out " + run.stats().pagesOut);
    assertEquals(128 << 10, run.stats().meanWriteBytes(), 4096);
  }

  @Test
  void shouldOrderTheDevicesByTheirSpeed() {
    double previous = 0;
    for (Backing backing : Backing.values()) {
      double seconds = SwapRun.of(PROFILE, machine(backing), 1, List.of(new SequentialWrite(WORDS, 2_000))).seconds();
      assertTrue(seconds > previous, backing + " took " + seconds + " s, the one before " + previous);
      previous = seconds;
    }
  }

  @Test
  void shouldSayThatTheSwapAreaIsTooSmall() {
    Machine machine = new Machine(Backing.DISK, 512, 256, 1, SCALE, false);
    String message = assertThrows(IllegalStateException.class,
        () -> SwapRun.of(PROFILE, machine, 1, List.of(new SequentialWrite(WORDS, 2_000)))).getMessage();
    assertTrue(message.contains("is full"), message);
  }
}
