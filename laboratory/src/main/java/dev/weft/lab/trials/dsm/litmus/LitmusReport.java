package dev.weft.lab.trials.dsm.litmus;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The result of playing a litmus shape.
 *
 * @param shape the shape
 * @param placement places of its words
 * @param rounds number of rounds played
 * @param seen the outcomes, and how often each was seen
 * @param outcomes the outcomes that sequential consistency allows and forbids
 */
public record LitmusReport(LitmusShape shape, Placement placement, long rounds, SortedMap<Outcome, Long> seen, Outcomes outcomes) {
  public LitmusReport {
    seen = new TreeMap<>(seen);
  }

  /** Whether all seen outcomes are allowed. */
  public boolean holds() {
    return violations().isEmpty();
  }

  /** Seen outcomes that are not allowed, and how often each was seen. */
  public SortedMap<Outcome, Long> violations() {
    SortedMap<Outcome, Long> violations = new TreeMap<>(seen);
    violations.keySet().removeAll(outcomes.allowed());
    return violations;
  }

  /** Allowed outcomes that were seen. If these are only one or two of many, the threads hardly ran at the same time. */
  public SortedSet<Outcome> allowedSeen() {
    SortedSet<Outcome> allowed = new TreeSet<>(outcomes.allowed());
    allowed.retainAll(seen.keySet());
    return allowed;
  }

  /** Text for users: a line, and one for each seen outcome. */
  @Override
  public String toString() {
    return shape + "\n" + shape.name() + " " + placement + ": " + rounds + " rounds, " + allowedSeen().size() + " of "
        + outcomes.allowed().size() + " allowed outcomes seen, "
        + (holds() ? "no violation" : violations().values().stream().mapToLong(Long::longValue).sum() + " VIOLATIONS")
        + seen.entrySet().stream()
            .map(entry -> String.format("%n%12d  %s%s", entry.getValue(), shape.describe(entry.getKey()),
                outcomes.allowed().contains(entry.getKey()) ? "" : "  FORBIDDEN"))
            .collect(Collectors.joining());
  }
}
