package dev.weft.lab.trials.dsm.litmus;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A litmus test: a few threads that each read and write some words once. All words are 0 at first.
 *
 * @param name its name in the literature
 * @param threads accesses of each thread, in program order
 * @param observed the words whose last values belong to the outcome, by index
 */
public record LitmusShape(String name, List<List<Access>> threads, List<Integer> observed) {
  /** Maximum number of threads of a shape. */
  public static final int THREADS_MAX = 8;

  /** Maximum number of accesses of a shape, because outcomes are derived from all interleavings. */
  public static final int ACCESSES_MAX = 16;

  private static final String WORDS = "xyzwvu";

  /** Checks that the parts fit together. */
  public LitmusShape {
    threads = threads.stream().map(List::copyOf).toList();
    observed = List.copyOf(observed);
    require(!threads.isEmpty() && threads.size() <= THREADS_MAX, name, threads.size() + " threads, must be 1 to " + THREADS_MAX);
    List<Access> accesses = threads.stream().flatMap(List::stream).toList();
    require(accesses.size() <= ACCESSES_MAX, name, accesses.size() + " accesses, must be at most " + ACCESSES_MAX);
    List<Integer> registers = new ArrayList<>();
    for (Access access : accesses) {
      require(access.word() >= 0 && access.word() < WORDS.length(), name, "a word " + access.word() + ", must be one of " + WORDS);
      if (access instanceof Access.Read read) {
        registers.add(read.register());
      }
      require(!(access instanceof Access.Write write) || write.value() != 0, name, access + ": words are 0 at first, must be another value");
    }
    registers.sort(null);
    require(registers.equals(IntStream.range(0, registers.size()).boxed().toList()), name,
        "registers " + registers + ", must be each of 0 and following once");
    for (int word : observed) {
      require(accesses.stream().anyMatch(access -> access.word() == word), name, "observes a word that nobody uses");
    }
  }

  private static void require(boolean good, String name, String wrong) {
    if (!good) {
      throw new IllegalArgumentException("litmus shape " + name + ": " + wrong);
    }
  }

  /**
   * Parses a shape.
   *
   * @param observed names of the words whose last values count, for example {@code "xy"}
   * @param threads one text for each, such as {@code "x=1; r0=y"}: writes 1 to x, then reads y into register 0
   * @throws IllegalArgumentException if a text is not of that form
   */
  public static LitmusShape of(String name, String observed, String... threads) {
    return new LitmusShape(name,
        Stream.of(threads).map(thread -> Stream.of(thread.split(";")).map(access -> access(name, access.strip())).toList()).toList(),
        observed.chars().mapToObj(WORDS::indexOf).toList());
  }

  private static Access access(String name, String text) {
    require(text.matches("[" + WORDS + "]=[1-9][0-9]{0,8}|r[0-9]{1,2}=[" + WORDS + "]"), name, "\"" + text + "\", must be like x=1 or r0=x");
    int equals = text.indexOf('=');
    String left = text.substring(0, equals);
    String right = text.substring(equals + 1);
    return left.startsWith("r") ? new Access.Read(WORDS.indexOf(right), Integer.parseInt(left.substring(1)))
        : new Access.Write(WORDS.indexOf(left), Long.parseLong(right));
  }

  /** Name of a word: x, y, z ... */
  public static String wordName(int word) {
    return WORDS.substring(word, word + 1);
  }

  /** Number of words: the highest index plus 1. */
  public int words() {
    return 1 + threads.stream().flatMap(List::stream).mapToInt(Access::word).max().orElse(-1);
  }

  /** Number of registers. */
  public int registers() {
    return (int) threads.stream().flatMap(List::stream).filter(access -> access instanceof Access.Read).count();
  }

  /** Text for users: {@code r0=1 r1=0 x=2}. */
  public String describe(Outcome outcome) {
    return IntStream.range(0, outcome.values().size())
        .mapToObj(i -> (i < registers() ? "r" + i : wordName(observed.get(i - registers()))) + "=" + outcome.values().get(i))
        .collect(Collectors.joining(" "));
  }

  /** Text for users: {@code SB: x=1; r0=y | y=1; r1=x}. */
  @Override
  public String toString() {
    return name + ": " + threads.stream().map(thread -> thread.stream().map(Access::toString).collect(Collectors.joining("; ")))
        .collect(Collectors.joining(" | "));
  }
}
