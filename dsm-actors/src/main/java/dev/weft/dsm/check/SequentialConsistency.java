package dev.weft.dsm.check;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks whether a small history over several words is sequentially consistent (Lamport 1979): whether there is one order of all operations, in
 * which those of each thread stand as in its program, and in which each sees the last write. Times do not matter. Other than linearizability
 * this cannot be checked word by word; the search goes over all interleavings, and remembers where it has been.
 *
 * <p>It is meant for litmus tests: some threads of some operations. The work grows with the product of the threads' lengths.
 */
public final class SequentialConsistency {
  /** Operations of a history at most: the search goes as deep. */
  public static final int OPERATIONS_MAX = 1_000;

  /** States that are looked at before it gives up: a second, and 100 MB or so. */
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
   * @param finals what some words must be after all operations; the others may be anything
   * @param statesMax states that are looked at before the answer is {@link Verdict#UNDECIDED}, 1 or more
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
      // Where something that changes nothing leads nowhere, neither does anything else.
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

  /** How far each thread is, and what the words are. */
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
