package dev.weft.lab.trials.dsm.check;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of checking a history.
 *
 * @param words one result for each word, in order
 */
public record CheckResult(List<WordResult> words) {
  public CheckResult {
    words = List.copyOf(words);
  }

  /** VIOLATED if any word is, otherwise UNDECIDED if any word is, otherwise HOLDS. */
  public Verdict verdict() {
    if (words.stream().anyMatch(word -> word.verdict() == Verdict.VIOLATED)) {
      return Verdict.VIOLATED;
    }
    return words.stream().anyMatch(word -> word.verdict() == Verdict.UNDECIDED) ? Verdict.UNDECIDED : Verdict.HOLDS;
  }

  /** The violations, one for each word that has one. */
  public List<Misfit> misfits() {
    return words.stream().flatMap(word -> word.misfit().stream()).toList();
  }

  /** Text for users: a line, and the violations. */
  @Override
  public String toString() {
    long undecided = words.stream().filter(word -> word.verdict() == Verdict.UNDECIDED).count();
    int operations = words.stream().mapToInt(WordResult::operations).sum();
    return operations + " operations on " + words.size() + " words: " + verdict() + ", " + misfits().size() + " words are not linearizable, "
        + undecided + " are undecided" + misfits().stream().map(misfit -> "\n" + misfit).collect(Collectors.joining());
  }
}
