package dev.weft.dsm.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether operations on words of 8 bytes are linearizable: whether each took effect at one moment between its invocation and its
 * return. A history is linearizable if that of each word is (Herlihy and Wing 1990), so each is checked alone. The search is Wing's and
 * Gong's with Lowe's list of calls and returns and memory of configurations ("Testing for linearizability", 2016), which is what Porcupine does.
 *
 * <p>An operation that ended at the tick at which another began counts as concurrent with it, unless one thread did both: clocks are coarse,
 * and an error must be one. The problem is NP-complete; histories of some hundred operations per word of some threads take milliseconds,
 * unless many operations are concurrent and write the same values.
 */
public final class Linearizability {
  /** Work for a word that is enough for hundreds of operations of some threads, in a second or so. */
  public static final long STEPS_MAX = 2_000_000;

  /** Configurations that are remembered for a word: at 500 operations 80 MB or so. */
  public static final int CONFIGURATIONS_MAX = 500_000;

  private final long stepsMax;
  private final int configurationsMax;

  /** With the usual limits. */
  public Linearizability() {
    this(STEPS_MAX, CONFIGURATIONS_MAX);
  }

  /**
   * With other limits; where one is reached the word is undecided.
   *
   * @param stepsMax work for each word: operations that are tried at a place, 1 or more
   * @param configurationsMax sets of ordered operations that are remembered, 1 or more, each of a bit per operation and 50 bytes or so
   */
  public Linearizability(long stepsMax, int configurationsMax) {
    if (stepsMax < 1 || configurationsMax < 1) {
      throw new IllegalArgumentException("at most " + stepsMax + " steps and " + configurationsMax + " configurations, must be 1 or more");
    }
    this.stepsMax = stepsMax;
    this.configurationsMax = configurationsMax;
  }

  /** Checks each word. */
  public CheckResult check(History history) {
    List<WordResult> results = new ArrayList<>();
    history.byWord().forEach((word, operations) -> results.add(check(word, history.initial(word), operations)));
    return new CheckResult(results);
  }

  private WordResult check(long word, long initial, List<Operation> operations) {
    // A read that never returned is seen by nobody.
    List<Operation> seen = operations.stream().filter(operation -> operation.returned() || operation.kind() != Operation.Kind.READ).toList();
    WordSearch search = new WordSearch(seen, initial, stepsMax, configurationsMax);
    Verdict verdict = search.run();
    Optional<Misfit> misfit = verdict == Verdict.VIOLATED ? Optional.of(search.misfit(word)) : Optional.empty();
    return new WordResult(word, operations.size(), verdict, search.steps(), misfit);
  }
}
