package dev.weft.lab.trials.dsm.check;

import static dev.weft.lab.trials.dsm.check.Operation.add;
import static dev.weft.lab.trials.dsm.check.Operation.cas;
import static dev.weft.lab.trials.dsm.check.Operation.read;
import static dev.weft.lab.trials.dsm.check.Operation.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SequentialConsistencyTest {
  private static Verdict check(Operation... operations) {
    return SequentialConsistency.check(RegisterHistories.history(List.of(operations)));
  }

  @Test
  void shouldForbidThatTwoStoresWaitInBuffers() {
    assertEquals(Verdict.VIOLATED, check(write(0, 0, 1, 1, 2), read(0, 1, 0, 3, 4), write(1, 1, 1, 1, 2), read(1, 0, 0, 3, 4)));
    assertEquals(Verdict.HOLDS, check(write(0, 0, 1, 1, 2), read(0, 1, 1, 3, 4), write(1, 1, 1, 1, 2), read(1, 0, 0, 3, 4)));
  }

  @Test
  void shouldNotLookAtTimes() {
    assertEquals(Verdict.HOLDS, check(write(0, 0, 1, 1, 2), read(1, 0, 0, 30, 40), read(1, 0, 1, 50, 60)));
    assertEquals(Verdict.VIOLATED, check(write(0, 0, 1, 1, 2), read(1, 0, 1, 30, 40), read(1, 0, 0, 50, 60)));
  }

  @Test
  void shouldKnowAtomics() {
    assertEquals(Verdict.HOLDS, check(add(0, 0, 1, 0, 1, 2), add(1, 0, 1, 1, 1, 2), cas(2, 0, 2, 5, true, 1, 2), read(2, 0, 5, 3, 4)));
    assertEquals(Verdict.VIOLATED, check(cas(0, 0, 0, 5, true, 1, 2), cas(1, 0, 0, 6, true, 1, 2)));
  }

  @Test
  void shouldHoldTheLastValuesToWhatIsSaid() {
    History history = RegisterHistories.history(List.of(write(0, 0, 1, 1, 2), write(0, 0, 2, 3, 4), write(1, 1, 7, 1, 2)));
    assertEquals(Verdict.HOLDS, SequentialConsistency.check(history, Map.of(0L, 2L), 100));
    assertEquals(Verdict.VIOLATED, SequentialConsistency.check(history, Map.of(0L, 1L), 100));
    assertEquals(Verdict.VIOLATED, SequentialConsistency.check(history, Map.of(5L, 1L), 100));
    assertEquals(Verdict.HOLDS, SequentialConsistency.check(history, Map.of(5L, 0L), 100));
  }

  @Test
  void shouldSayUndecidedWhereTheStatesAreLimited() {
    History history = new History();
    for (int thread = 0; thread < 8; thread++) {
      history.add(write(thread, 0, thread, 1, 2)).add(write(thread, 0, thread, 3, 4));
    }
    history.add(read(9, 0, 99, 1, 2));
    assertEquals(Verdict.UNDECIDED, SequentialConsistency.check(history, Map.of(), 100));
    assertEquals(Verdict.VIOLATED, SequentialConsistency.check(history));
    assertThrows(IllegalArgumentException.class, () -> SequentialConsistency.check(history, Map.of(), 0));
    assertThrows(IllegalArgumentException.class,
        () -> SequentialConsistency.check(new History().add(write(0, 0, 1, 1, Operation.NEVER))));
  }

  @Test
  void shouldAgreeWithAllInterleavings() {
    int violated = 0;
    int histories = 5_000;
    for (long seed = 1; seed <= histories; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      History history = new History();
      List<List<Operation>> threads = new ArrayList<>();
      for (int thread = 0; thread < 3; thread++) {
        threads.add(new ArrayList<>());
        for (int i = 0; i < random.nextInt(4); i++) {
          int word = random.nextInt(2);
          int value = random.nextInt(3);
          Operation operation = switch (random.nextInt(4)) {
            case 0 -> write(thread, word, value, i, i);
            case 1 -> add(thread, word, random.nextInt(2), value, i, i);
            case 2 -> cas(thread, word, random.nextInt(2), value, random.nextBoolean(), i, i);
            default -> read(thread, word, value, i, i);
          };
          threads.get(thread).add(operation);
          history.add(operation);
        }
      }
      boolean expected = interleaves(threads, new int[3], new long[2]);
      assertEquals(expected ? Verdict.HOLDS : Verdict.VIOLATED, SequentialConsistency.check(history), "seed " + seed + threads);
      violated += expected ? 0 : 1;
    }
    assertTrue(violated > histories / 10 && violated < histories * 9 / 10, violated + " violated");
  }

  private static boolean interleaves(List<List<Operation>> threads, int[] at, long[] values) {
    boolean ended = true;
    for (int thread = 0; thread < at.length; thread++) {
      if (at[thread] < threads.get(thread).size()) {
        ended = false;
        Operation operation = threads.get(thread).get(at[thread]);
        int word = (int) operation.word();
        long value = values[word];
        boolean fits = switch (operation.kind()) {
          case READ, ADD -> operation.result() == value;
          case WRITE -> true;
          case CAS -> operation.result() == (operation.expected() == value ? 1 : 0);
        };
        if (fits) {
          int[] further = at.clone();
          long[] after = values.clone();
          further[thread]++;
          after[word] = switch (operation.kind()) {
            case READ -> value;
            case WRITE -> operation.argument();
            case ADD -> value + operation.argument();
            case CAS -> value == operation.expected() ? operation.argument() : value;
          };
          if (interleaves(threads, further, after)) {
            return true;
          }
        }
      }
    }
    return ended;
  }
}
