package dev.weft.lab.trials.dsm.check;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks whether a small history over several words is sequentially consistent (Lamport 1979): whether all operations have one order that keeps each
 * thread's program order, and in which each read sees the last write. Times do not matter. Unlike linearizability, this cannot be checked word by
 * word. The search covers all interleavings, and remembers visited states.
 *
 * <p>Meant for litmus tests: a few threads with a few operations. The work grows with the product of the threads' lengths.
 */
public final class SequentialConsistency {
  /** Maximum number of operations of a history, which is the depth of the search. */
  public static final int OPERATIONS_MAX = 1_000;

  /** Maximum number of visited states: a second, and some 100 MB. */
  public static final int STATES_MAX = 500_000;

  private final List<List<Operation>> threads;
  private final List<Long> words;
  private final long[] finals;
  private final boolean[] hasFinal;
  private final int[] at;
  private final long[] values;
  private final int statesMax;
  private final Set<State> seen = new HashSet<>();

  private SequentialConsistency(History history, Map<Long, Long> finalValues, int statesMax) {
    threads = List.copyOf(history.byThread().values());
    words = List.copyOf(history.byWord().keySet());
    at = new int[threads.size()];
    values = words.stream().mapToLong(history::initial).toArray();
    finals = words.stream().mapToLong(word -> finalValues.getOrDefault(word, 0L)).toArray();
    hasFinal = new boolean[finals.length];
    for (int i = 0; i < finals.length; i++) {
      hasFinal[i] = finalValues.containsKey(words.get(i));
    }
    this.statesMax = statesMax;
  }

  /** Checks a history, with {@link #STATES_MAX}. */
  public static Verdict check(History history) {
    return check(history, Map.of(), STATES_MAX);
  }

  /**
   * Checks a history.
   *
   * @param finals required values of some words after all operations; other words may have any value
   * @param statesMax maximum number of visited states, 1 or more; beyond it the result is {@link Verdict#UNDECIDED}
   * @throws IllegalArgumentException if an operation never returned, or there are too many
   */
  public static Verdict check(History history, Map<Long, Long> finals, int statesMax) {
    if (statesMax < 1) {
      throw new IllegalArgumentException("at most " + statesMax + " states, must be 1 or more");
    }
    if (history.operations().size() > OPERATIONS_MAX) {
      throw new IllegalArgumentException(history.operations().size() + " operations, must be at most " + OPERATIONS_MAX);
    }
    history.operations().stream().filter(operation -> !operation.returned()).findFirst().ifPresent(operation -> {
      throw new IllegalArgumentException("word " + operation.word() + ", " + operation + ": only what returned can be checked");
    });
    for (Map.Entry<Long, Long> last : finals.entrySet()) {
      if (!history.byWord().containsKey(last.getKey()) && history.initial(last.getKey()) != last.getValue()) {
        return Verdict.VIOLATED;
      }
    }
    return new SequentialConsistency(history, finals, statesMax).search();
  }

  private Verdict search() {
    int ended = 0;
    Verdict verdict = Verdict.VIOLATED;
    for (int thread = 0; thread < threads.size(); thread++) {
      if (at[thread] == threads.get(thread).size()) {
        ended++;
        continue;
      }
      Operation operation = threads.get(thread).get(at[thread]);
      int word = words.indexOf(operation.word());
      if (!operation.possible(values[word])) {
        continue;
      }
      long before = values[word];
      values[word] = operation.after(before);
      at[thread]++;
      Verdict below = enter();
      at[thread]--;
      values[word] = before;
      // If an operation that changes nothing leads to no solution, no other choice does.
      if (below == Verdict.HOLDS || operation.pure()) {
        return below;
      }
      verdict = below == Verdict.UNDECIDED ? below : verdict;
    }
    return ended == threads.size() ? atEnd() : verdict;
  }

  private Verdict enter() {
    if (seen.size() >= statesMax) {
      return Verdict.UNDECIDED;
    }
    return seen.add(new State(at, values)) ? search() : Verdict.VIOLATED;
  }

  private Verdict atEnd() {
    for (int i = 0; i < values.length; i++) {
      if (hasFinal[i] && values[i] != finals[i]) {
        return Verdict.VIOLATED;
      }
    }
    return Verdict.HOLDS;
  }

  /** The position of each thread, and the values of the words. */
  private static final class State {
    private final long[] key;

    State(int[] at, long[] values) {
      key = Arrays.copyOf(values, values.length + at.length);
      for (int i = 0; i < at.length; i++) {
        key[values.length + i] = at[i];
      }
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof State state && Arrays.equals(key, state.key);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(key);
    }
  }
}
