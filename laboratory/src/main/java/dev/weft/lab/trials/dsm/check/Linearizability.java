package dev.weft.lab.trials.dsm.check;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether operations on words of 8 bytes are linearizable: whether each took effect at one moment between its invocation and its return. A
 * history is linearizable if that of each word is (Herlihy and Wing 1990), so each word is checked alone. The search is that of Wing and Gong, with
 * Lowe's list of calls and returns and memory of configurations ("Testing for linearizability", 2016), as in Porcupine.
 *
 * <p>If an operation ended at the tick at which another began, they count as concurrent, unless one thread did both: clocks are coarse, and a
 * reported violation must be real. The problem is NP-complete. Histories of a few threads with some hundred operations per word take milliseconds,
 * unless many operations are concurrent and write the same values.
 */
public final class Linearizability {
  /** Default limit of the work for a word; enough for hundreds of operations of a few threads, takes a second or so. */
  public static final long STEPS_MAX = 2_000_000;

  /** Default limit of stored configurations for a word; at 500 operations some 80 MB. */
  public static final int CONFIGURATIONS_MAX = 500_000;

  private final long stepsMax;
  private final int configurationsMax;

  /** A checker with the default limits. */
  public Linearizability() {
    this(STEPS_MAX, CONFIGURATIONS_MAX);
  }

  /**
   * A checker with other limits; a word that reaches one is undecided.
   *
   * @param stepsMax work for each word: operations that are tried at a place, 1 or more
   * @param configurationsMax stored sets of ordered operations, 1 or more; each takes a bit per operation and some 50 bytes
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
    // No thread has seen a read that never returned.
    List<Operation> seen = operations.stream().filter(operation -> operation.returned() || operation.kind() != Operation.Kind.READ).toList();
    WordSearch search = new WordSearch(seen, initial, stepsMax, configurationsMax);
    Verdict verdict = search.run();
    Optional<Misfit> misfit = verdict == Verdict.VIOLATED ? Optional.of(search.misfit(word)) : Optional.empty();
    return new WordResult(word, operations.size(), verdict, search.steps(), misfit);
  }
}
