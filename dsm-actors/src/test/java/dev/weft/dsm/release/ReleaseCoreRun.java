package dev.weft.dsm.release;

import java.util.List;
import java.util.function.LongFunction;

/** Some of {@link ReleaseCoreTest} and {@link ReleaseMulticastTest} for those who plant bugs: takes a number, answers what went wrong. */
public final class ReleaseCoreRun implements LongFunction<List<String>> {
  @Override
  public List<String> apply(long number) {
    ReleaseCoreTest test = new ReleaseCoreTest();
    ReleaseMulticastTest byGroup = new ReleaseMulticastTest();
    try {
      switch ((int) number) {
        case 1 -> test.shouldTellChangesAtAReleaseAndNotBefore();
        case 2 -> test.shouldFetchACopyThatHasWhatIsOnItsWay();
        case 3 -> test.shouldNotShowInACopyWhatIsTakenBackBeforeTheRelease();
        case 4 -> test.shouldKeepRandomProgramsWithoutRacesInOrder();
        case 5 -> byGroup.shouldRepairABatchOfWhichADatagramWasLost();
        case 6 -> byGroup.shouldDropALateDatagramOfAnEarlierBatch();
        case 7 -> byGroup.shouldKeepTheOrderOfTwoChangesOfAnElement();
        default -> throw new IllegalStateException(number + ", must be 1 to 7");
      }
    } catch (AssertionError | IllegalArgumentException wrong) {
      return List.of(wrong.toString());
    }
    return List.of();
  }
}
