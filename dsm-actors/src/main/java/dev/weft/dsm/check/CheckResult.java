package dev.weft.dsm.check;

import java.util.List;
import java.util.stream.Collectors;

/**
 * What was found out about a history.
 *
 * @param words one result for each word, in their order
 */
public record CheckResult(List<WordResult> words) {
  public CheckResult {
    words = List.copyOf(words);
  }

  /** VIOLATED if a word is, else UNDECIDED if one is, else HOLDS. */
  public Verdict verdict() {
    if (words.stream().anyMatch(word -> word.verdict() == Verdict.VIOLATED)) {
      return Verdict.VIOLATED;
    }
    return words.stream().anyMatch(word -> word.verdict() == Verdict.UNDECIDED) ? Verdict.UNDECIDED : Verdict.HOLDS;
  }

  /** The words of which something cannot be explained. */
  public List<Misfit> misfits() {
    return words.stream().flatMap(word -> word.misfit().stream()).toList();
  }

  /** For a person: a line, and what does not fit. */
  @Override
  public String toString() {
    long undecided = words.stream().filter(word -> word.verdict() == Verdict.UNDECIDED).count();
    int operations = words.stream().mapToInt(WordResult::operations).sum();
    return operations + " operations on " + words.size() + " words: " + verdict() + ", " + misfits().size() + " words are not linearizable, "
        + undecided + " are undecided" + misfits().stream().map(misfit -> "\n" + misfit).collect(Collectors.joining());
  }
}
