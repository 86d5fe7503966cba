package dev.weft.dsm.litmus;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What playing a litmus shape showed.
 *
 * @param shape what was played
 * @param placement where its words lay
 * @param rounds that were played
 * @param seen the outcomes, and how often each was seen
 * @param outcomes what sequential consistency allows and forbids
 */
public record LitmusReport(LitmusShape shape, Placement placement, long rounds, SortedMap<Outcome, Long> seen, Outcomes outcomes) {
  public LitmusReport {
    seen = new TreeMap<>(seen);
  }

  /** Whether nothing was seen that is not allowed. */
  public boolean holds() {
    return violations().isEmpty();
  }

  /** What was seen and is not allowed, and how often. */
  public SortedMap<Outcome, Long> violations() {
    SortedMap<Outcome, Long> violations = new TreeMap<>(seen);
    violations.keySet().removeAll(outcomes.allowed());
    return violations;
  }

  /** Allowed outcomes that were seen: where it is only one or two of many, the threads hardly met. */
  public SortedSet<Outcome> allowedSeen() {
    SortedSet<Outcome> allowed = new TreeSet<>(outcomes.allowed());
    allowed.retainAll(seen.keySet());
    return allowed;
  }

  /** For a person: a line, and one for each outcome that was seen. */
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
