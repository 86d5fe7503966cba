package dev.weft.lab.trials.dsm.check;

import static dev.weft.lab.trials.dsm.check.Operation.NEVER;
import static dev.weft.lab.trials.dsm.check.Operation.add;
import static dev.weft.lab.trials.dsm.check.Operation.cas;
import static dev.weft.lab.trials.dsm.check.Operation.read;
import static dev.weft.lab.trials.dsm.check.Operation.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LinearizabilityTest {
  private static CheckResult check(Operation... operations) {
    return new Linearizability().check(RegisterHistories.history(List.of(operations)));
  }

  private static void holds(Operation... operations) {
    CheckResult result = check(operations);
    assertEquals(Verdict.HOLDS, result.verdict(), result.toString());
  }

  private static Misfit violated(Operation... operations) {
    CheckResult result = check(operations);
    assertEquals(Verdict.VIOLATED, result.verdict(), result.toString());
    return result.misfits().getFirst();
  }

  @Test
  void shouldAcceptWhatOneThreadDoes() {
    holds();
    holds(write(0, 5, 7, 1, 2), read(0, 5, 7, 3, 4), add(0, 5, 2, 7, 5, 6), cas(0, 5, 9, 1, true, 7, 8), cas(0, 5, 9, 2, false, 9, 10),
        read(0, 5, 1, 11, 12));
  }

  @Test
  void shouldAcceptEitherOrderOfWhatIsConcurrent() {
    holds(write(0, 0, 1, 1, 10), read(1, 0, 0, 2, 3), read(1, 0, 1, 4, 5), read(2, 0, 1, 6, 7));
    holds(write(0, 0, 1, 1, 10), write(1, 0, 2, 1, 10), read(2, 0, 2, 2, 3), read(2, 0, 1, 11, 12));
  }

  @Test
  void shouldFindAStaleRead() {
    Misfit misfit = violated(write(0, 0, 1, 1, 2), read(1, 0, 0, 3, 4));
    assertEquals(read(1, 0, 0, 3, 4), misfit.culprit());
    assertEquals(Set.of(1L), misfit.values());
    assertEquals(List.of(write(0, 0, 1, 1, 2)), misfit.explained());
    assertEquals("""
        word 0: thread 1 read 0 [3, 4] fits nowhere
          the word could be 1 while it ran
          an order of 1 operations before it, the last 1:
            thread 0 wrote 1 [1, 2]""", misfit.toString());
  }

  @Test
  void shouldFindAReadThatGoesBack() {
    Misfit misfit = violated(write(0, 0, 1, 1, 10), read(1, 0, 1, 2, 3), read(2, 0, 0, 4, 5));
    assertEquals(2, misfit.culprit().thread());
  }

  @Test
  void shouldFindAReadFromTheFuture() {
    assertEquals(read(1, 0, 1, 1, 2), violated(read(1, 0, 1, 1, 2), write(0, 0, 1, 3, 4)).culprit());
  }

  @Test
  void shouldFindALostUpdate() {
    violated(add(0, 0, 1, 0, 1, 4), add(1, 0, 1, 1, 2, 5), read(2, 0, 1, 6, 7));
    violated(write(0, 0, 1, 1, 2), write(1, 0, 2, 3, 4), read(2, 0, 1, 5, 6));
  }

  @Test
  void shouldFindTwoAdditionsToTheSame() {
    violated(add(0, 0, 1, 0, 1, 4), add(1, 0, 1, 0, 2, 5));
    holds(add(0, 0, 1, 1, 1, 4), add(1, 0, 1, 0, 2, 5));
  }

  @Test
  void shouldFindTwoSuccessesOfOneCompareAndSet() {
    violated(cas(0, 0, 0, 1, true, 1, 4), cas(1, 0, 0, 1, true, 2, 5));
    holds(cas(0, 0, 0, 1, true, 1, 4), cas(1, 0, 0, 1, false, 2, 5));
    violated(cas(0, 0, 0, 1, false, 1, 4), cas(1, 0, 1, 2, false, 5, 6), read(1, 0, 1, 7, 8));
  }

  @Test
  void shouldLetWhatNeverReturnedTakeEffectOrNot() {
    holds(write(0, 0, 7, 1, NEVER), read(1, 0, 0, 2, 3), read(1, 0, 0, 100, 101));
    holds(write(0, 0, 7, 1, NEVER), read(1, 0, 0, 2, 3), read(1, 0, 7, 100, 101));
    holds(add(0, 0, 7, 0, 1, NEVER), read(1, 0, 0, 2, 3), read(1, 0, 7, 100, 101));
    holds(cas(0, 0, 0, 7, false, 1, NEVER), read(1, 0, 0, 2, 3), read(1, 0, 7, 100, 101));
    holds(read(0, 0, 0, 1, NEVER), read(1, 0, 0, 2, 3));
    violated(write(0, 0, 7, 1, NEVER), read(1, 0, 7, 2, 3), read(1, 0, 0, 100, 101));
    violated(write(0, 0, 7, 50, NEVER), read(1, 0, 7, 2, 3));
    violated(cas(0, 0, 1, 7, false, 1, NEVER), read(1, 0, 7, 2, 3));
  }

  @Test
  void shouldTakeWhatTouchesAsConcurrentButForOneThread() {
    holds(write(0, 0, 1, 1, 2), read(1, 0, 0, 2, 3));
    violated(write(0, 0, 1, 1, 2), read(0, 0, 0, 2, 3));
    violated(write(0, 0, 1, 2, 2), write(0, 0, 2, 2, 2), read(0, 0, 1, 2, 2));
    holds(write(0, 0, 1, 2, 2), write(0, 0, 2, 2, 2), read(1, 0, 1, 2, 2));
  }

  @Test
  void shouldCheckEachWordAlone() {
    CheckResult result = check(write(0, 1, 5, 1, 2), read(1, 1, 5, 3, 4), write(0, 9, 5, 3, 4), read(1, 9, 0, 5, 6), read(2, 3, 0, 1, 2));
    assertEquals(List.of(1L, 3L, 9L), result.words().stream().map(WordResult::word).toList());
    assertEquals(List.of(Verdict.HOLDS, Verdict.HOLDS, Verdict.VIOLATED), result.words().stream().map(WordResult::verdict).toList());
    assertEquals(9, result.misfits().getFirst().word());
    assertTrue(result.toString().startsWith("5 operations on 3 words: VIOLATED, 1 words are not linearizable, 0 are undecided\nword 9"),
        result.toString());
  }

  @Test
  void shouldBeginWithWhatIsSaid() {
    History history = new History().initial(4, 100).add(read(0, 4, 100, 1, 2));
    assertEquals(Verdict.HOLDS, new Linearizability().check(history).verdict());
    history.add(read(0, 4, 0, 3, 4));
    assertEquals(Verdict.VIOLATED, new Linearizability().check(history).verdict());
  }

  @Test
  void shouldSayUndecidedWhereTheWorkIsLimited() {
    // All concurrent, all different, and a last read that none explains: 2^20 sets of writes.
    History history = new History();
    for (int thread = 0; thread < 20; thread++) {
      history.add(write(thread, 0, thread + 1, 1, 10));
    }
    history.add(read(20, 0, 99, 11, 12));
    assertEquals(Verdict.UNDECIDED, new Linearizability(10_000, 1_000_000).check(history).verdict());
    CheckResult result = new Linearizability(Long.MAX_VALUE, 10_000).check(history);
    assertEquals(Verdict.UNDECIDED, result.verdict());
    assertTrue(result.misfits().isEmpty());
    history.add(write(0, 1, 1, 11, 12)).add(read(0, 1, 0, 13, 14));
    assertEquals(Verdict.VIOLATED, new Linearizability(10_000, 1_000_000).check(history).verdict());
    assertThrows(IllegalArgumentException.class, () -> new Linearizability(0, 1));
  }

  @Test
  void shouldRefuseWhatIsNoHistory() {
    History history = new History().add(write(0, 0, 1, 5, 9)).add(write(1, 0, 1, 5, NEVER));
    assertThrows(IllegalArgumentException.class, () -> history.add(read(0, 1, 0, 8, 12)));
    assertThrows(IllegalArgumentException.class, () -> history.add(read(1, 1, 0, 8, 12)));
    assertThrows(IllegalArgumentException.class, () -> read(0, 0, 0, 5, 4));
    assertThrows(IllegalArgumentException.class, () -> read(-1, 0, 0, 5, 6));
    assertThrows(IllegalArgumentException.class, () -> read(0, -1, 0, 5, 6));
    assertThrows(IllegalArgumentException.class, () -> read(0, 0, 0, -5, 6));
    assertThrows(IllegalArgumentException.class, () -> history.initial(-1, 0));
    assertEquals(2, history.operations().size());
  }
}
