package dev.weft.dsm.release;

import java.util.List;
import java.util.function.LongFunction;

/** Some of {@link ReleaseCoreTest} for those who plant bugs: takes a number, answers what went wrong. */
public final class ReleaseCoreRun implements LongFunction<List<String>> {
  @Override
  public List<String> apply(long number) {
    ReleaseCoreTest test = new ReleaseCoreTest();
    try {
      switch ((int) number) {
        case 1 -> test.shouldTellChangesAtAReleaseAndNotBefore();
        case 2 -> test.shouldFetchACopyThatHasWhatIsOnItsWay();
        case 3 -> test.shouldNotShowInACopyWhatIsTakenBackBeforeTheRelease();
        case 4 -> test.shouldKeepRandomProgramsWithoutRacesInOrder();
        default -> throw new IllegalArgumentException(number + ", must be 1 to 4");
      }
    } catch (AssertionError wrong) {
      return List.of(wrong.toString());
    }
    return List.of();
  }
}
