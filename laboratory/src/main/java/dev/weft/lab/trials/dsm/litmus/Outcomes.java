package dev.weft.lab.trials.dsm.litmus;

import dev.weft.lab.trials.dsm.check.History;
import dev.weft.lab.trials.dsm.check.Operation;
import dev.weft.lab.trials.dsm.check.SequentialConsistency;
import dev.weft.lab.trials.dsm.check.Verdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The outcomes of a litmus shape that sequential consistency allows and forbids. {@link SequentialConsistency} decides for each conceivable outcome
 * whether some interleaving produces it. In a conceivable outcome, each register and each last value is 0 or a value that the shape writes to that
 * word. Any other outcome is out of thin air, and forbidden as well.
 *
 * @param allowed outcomes of some interleaving
 * @param forbidden conceivable outcomes of no interleaving
 */
public record Outcomes(SortedSet<Outcome> allowed, SortedSet<Outcome> forbidden) {
  public Outcomes {
    allowed = new TreeSet<>(allowed);
    forbidden = new TreeSet<>(forbidden);
  }

  /** Derives the outcomes of a shape. */
  public static Outcomes of(LitmusShape shape) {
    SortedSet<Outcome> allowed = new TreeSet<>();
    SortedSet<Outcome> forbidden = new TreeSet<>();
    for (Outcome outcome : candidates(shape)) {
      (allows(shape, outcome) ? allowed : forbidden).add(outcome);
    }
    return new Outcomes(allowed, forbidden);
  }

  private static List<Outcome> candidates(LitmusShape shape) {
    List<Integer> wordOf = new ArrayList<>();
    for (int register = 0; register < shape.registers(); register++) {
      wordOf.add(wordOf(shape, register));
    }
    wordOf.addAll(shape.observed());
    List<List<Long>> prefixes = List.of(List.of());
    for (int word : wordOf) {
      List<Long> values = values(shape, word);
      List<List<Long>> longer = new ArrayList<>();
      for (List<Long> prefix : prefixes) {
        for (long value : values) {
          List<Long> next = new ArrayList<>(prefix);
          next.add(value);
          longer.add(next);
        }
      }
      prefixes = longer;
    }
    return prefixes.stream().map(Outcome::new).toList();
  }

  private static int wordOf(LitmusShape shape, int register) {
    return shape.threads().stream().flatMap(List::stream)
        .filter(access -> access instanceof Access.Read read && read.register() == register).findFirst().orElseThrow().word();
  }

  private static List<Long> values(LitmusShape shape, int word) {
    SortedSet<Long> values = new TreeSet<>(List.of(0L));
    for (List<Access> thread : shape.threads()) {
      for (Access access : thread) {
        if (access instanceof Access.Write write && write.word() == word) {
          values.add(write.value());
        }
      }
    }
    return List.copyOf(values);
  }

  private static boolean allows(LitmusShape shape, Outcome outcome) {
    History history = new History();
    for (int thread = 0; thread < shape.threads().size(); thread++) {
      for (Access access : shape.threads().get(thread)) {
        history.add(switch (access) {
          case Access.Write write -> Operation.write(thread, write.word(), write.value(), 0, 0);
          case Access.Read read -> Operation.read(thread, read.word(), outcome.values().get(read.register()), 0, 0);
        });
      }
    }
    Map<Long, Long> finals = new HashMap<>();
    for (int i = 0; i < shape.observed().size(); i++) {
      finals.put((long) shape.observed().get(i), outcome.values().get(shape.registers() + i));
    }
    Verdict verdict = SequentialConsistency.check(history, finals, SequentialConsistency.STATES_MAX);
    if (verdict == Verdict.UNDECIDED) {
      throw new IllegalStateException(shape + ": " + shape.describe(outcome) + " took more than " + SequentialConsistency.STATES_MAX + " states");
    }
    return verdict == Verdict.HOLDS;
  }
}
