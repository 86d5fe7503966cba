package dev.weft.pvfs.manager;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.seeds.Seeds;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random operations, commits, failed commits and crashes against a model; and whether that finds what is wrong. */
@Tag("slow")
@Tag("simulation")
@Timeout(120)
class NameSpaceModelTest {
  private static final int BATCHES = 25;
  private static final int SEEDS_TO_FIND = 50;

  @Test
  void shouldDoWhatTheModelDoesAndKeepWhatWasCommitted() {
    Seeds.of(NameSpaceModelTest.class, "pvfs-name-space", 1, 300, 300).run(seed -> new RandomRun(seed, FaultyStore.Fault.NONE).run(BATCHES));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldFindEachPlantedBug(FaultyStore.Fault fault) {
    long found = LongStream.rangeClosed(1, SEEDS_TO_FIND).filter(seed -> isFound(seed, fault)).findFirst().orElse(0);
    System.out.println(fault + " was found by seed " + found);
    assertTrue(found > 0, fault + " was not found by seeds 1 to " + SEEDS_TO_FIND);
  }

  private static boolean isFound(long seed, FaultyStore.Fault fault) {
    try {
      new RandomRun(seed, fault).run(BATCHES);
      return false;
    } catch (AssertionError expected) {
      return true;
    }
  }
}
