package dev.weft.lab.sim.rc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weft.lab.kit.Violations;
import java.util.List;
import org.junit.jupiter.api.Test;

class AtomicWordTest {
  private final Violations violations = new Violations(() -> 0);

  private static AtomicWord.Use add(int end, int op, long addend, long original, long from, long to) {
    return new AtomicWord.Use(end, op, 0, addend, original, from, to);
  }

  private static AtomicWord.Use swap(int end, int op, long expected, long replacement, long original) {
    return new AtomicWord.Use(end, op, expected, replacement, original, op, 100 + op);
  }

  private List<String> check(AtomicWord word, long finalValue, AtomicWord.Use... uses) {
    for (AtomicWord.Use use : uses) {
      word.record(use);
    }
    word.check(finalValue, violations);
    return violations.texts();
  }

  private static AtomicWord adding(long initial) {
    return new AtomicWord(0, 0, initial, true);
  }

  private static AtomicWord swapping(long initial) {
    return new AtomicWord(0, 0, initial, false);
  }

  @Test
  void shouldAcceptAddsInAnyOrderOfCompletion() {
    assertEquals(List.of(), check(adding(10), 16, add(1, 0, 2, 14, 0, 9), add(0, 0, 1, 10, 0, 9), add(0, 1, 3, 11, 0, 9)));
  }

  @Test
  void shouldAcceptAddsThatWrapAround() {
    long start = Long.MAX_VALUE - 1;
    assertEquals(List.of(), check(adding(start), start + 5, add(0, 0, 3, start, 0, 9), add(1, 0, 2, start + 3, 0, 9)));
  }

  @Test
  void shouldSeeAnAddThatTookEffectTwice() {
    assertFalse(check(adding(0), 2, add(0, 0, 1, 0, 0, 9)).isEmpty());
  }

  @Test
  void shouldSeeTwoAddsThatGotTheSameOriginal() {
    assertFalse(check(adding(0), 1, add(0, 0, 1, 0, 0, 9), add(1, 0, 1, 0, 0, 9)).isEmpty());
  }

  @Test
  void shouldSeeAddsOfOneQueuePairInTheWrongOrder() {
    assertFalse(check(adding(0), 2, add(0, 1, 1, 0, 0, 9), add(0, 0, 1, 1, 0, 9)).isEmpty());
  }

  @Test
  void shouldSeeAnAddThatWasDoneBeforeAnEarlierOneWasPosted() {
    assertFalse(check(adding(0), 2, add(0, 0, 1, 0, 50, 60), add(1, 0, 1, 1, 0, 9)).isEmpty());
  }

  @Test
  void shouldAcceptAChainOfSwapsAndFailuresOnIt() {
    assertEquals(List.of(), check(swapping(5), 7, swap(0, 0, 5, 6, 5), swap(1, 0, 99, 8, 6), swap(1, 1, 6, 7, 6), swap(0, 1, 5, 9, 7)));
  }

  @Test
  void shouldSeeTwoSwapsOfTheSameValue() {
    assertFalse(check(swapping(5), 7, swap(0, 0, 5, 6, 5), swap(1, 0, 5, 7, 5)).isEmpty());
  }

  @Test
  void shouldSeeAnOriginalThatTheWordNeverHeld() {
    assertFalse(check(swapping(5), 5, swap(0, 0, 4, 6, 8)).isEmpty());
  }

  @Test
  void shouldSeeASwapThatHadNoEffect() {
    assertFalse(check(swapping(5), 5, swap(0, 0, 5, 6, 5)).isEmpty());
  }
}
