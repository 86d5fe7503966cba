package dev.weft.lab.trials.dsm.apps;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.SharedInts;
import dev.weft.dsm.SharedSpace;
import dev.weft.dsm.SharingUnit;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class IntegerSortTest {
  private static final Application IS = Applications.byName("is");

  @Test
  void shouldPassTheVerificationOfClassSWithAnyNumberOfWorkers() {
    Runs.assertSameWithAnyNumberOfThreads(IS, "S");
  }

  /** Where a count were lost between two workers, it would be seldom: regions are small, and workers begin with different ones. */
  @Test
  void shouldLoseNoCountInManyRuns() {
    for (int run = 0; run < 60; run++) {
      Runs.assertVerified(LocalRun.threads(IS, "S", 4));
    }
  }

  @Test
  void shouldCount51Passes() {
    Check passes = LocalRun.sequential(IS, "S").checks().getLast();
    assertEquals(new Check("passes", true, "51, expected 51"), passes);
  }

  @Test
  @Tag("long") // A second a run and 250 MB.
  void shouldPassTheVerificationOfClassA() {
    Outcome sequential = Runs.assertVerified(LocalRun.sequential(IS, "A"));
    assertTrue(Runs.assertVerified(LocalRun.threads(IS, "A", 3)).against(sequential).passed());
  }

  @Test
  void shouldMakeAnyRangeOfKeysByItself() {
    int[] all = NasKeys.range(0, 1000, 1 << 11);
    assertArrayEquals(Arrays.copyOfRange(all, 333, 777), NasKeys.range(333, 777, 1 << 11));
  }

  @Test
  void shouldFindThatAKeyHadAnotherRank() {
    Runs.assertFoundOfInput("partial verification", IS, "S", space -> space.ints("is.passes", 1, SharingUnit.whole()).set(0, -1));
  }

  /** Regions of an even number of keys each: the last ones are short, or empty. */
  @Test
  void shouldCountWithMoreWorkersThanThereAreKeysForARegionEach() {
    IntegerSort tiny = new IntegerSort();
    tiny.size("tiny", new IntegerSort.Size(1 << 10, 1 << 5, new int[0], new int[0], 0));
    Outcome sequential = Runs.assertVerified(LocalRun.sequential(tiny, "tiny"));
    for (int count : new int[] {7, 31, 64}) {
      assertTrue(Runs.assertVerified(LocalRun.threads(tiny, "tiny", count)).against(sequential).passed());
    }
  }

  @Test
  void shouldFindThatTwoKeysHaveOneRank() {
    Runs.assertFound("full verification", IS, "S", space -> ranks(space).set(5, ranks(space).get(6)));
  }

  @Test
  void shouldFindThatKeysHaveEachOthersRanks() {
    Runs.assertFound("full verification", IS, "S", space -> {
      int rank = ranks(space).get(500);
      ranks(space).set(500, ranks(space).get(501));
      ranks(space).set(501, rank);
    });
  }

  private static SharedInts ranks(SharedSpace space) {
    return space.ints("is.ranks", 1 << 16, SharingUnit.elements(1024));
  }
}
