package dev.weft.lab.sim.pager;

import dev.weft.fabric.link.LinkCounts;
import dev.weft.pager.PagerMark;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What a range of seeds did, added up.
 *
 * @param seeds runs
 * @param repeated of them, how many were run twice
 * @param events mailbox steps and timers
 * @param virtualNs virtual time, over all runs
 * @param links packets and faults of all cables
 * @param faults what happened to nodes, by class
 * @param operations requests by kind
 * @param marks how often each branch of recovery was taken
 * @param undecided sectors whose history allowed too many orders to look at all
 * @param failures the runs with violations, at most the first {@value #FAILURES_KEPT_MAX}
 * @param failureCount all runs with violations
 */
public record ClusterReport(long seeds, long repeated, long events, long virtualNs, LinkCounts links, Map<FaultClass, Long> faults,
    Map<OpKind, Long> operations, Map<String, Long> marks, long undecided, List<Failure> failures, long failureCount) {
  static final int FAILURES_KEPT_MAX = 20;

  /**
   * A seed that failed.
   *
   * @param replay the command that runs it again, cut down as far as it still fails
   * @param chart message sequence chart of the run that was cut down; empty for all but the first failures
   */
  public record Failure(long seed, String shape, List<String> violations, String replay, String chart) {
    /** Several lines of text. */
    public String describe() {
      StringBuilder text = new StringBuilder("seed " + seed + " failed: " + shape + "\n");
      violations.forEach(violation -> text.append("  ").append(violation).append('\n'));
      return text.append(chart).append("  replay: ").append(replay).toString();
    }
  }

  public boolean isClean() {
    return failureCount == 0;
  }

  /** Branches of recovery that no run took. */
  public List<String> marksNeverHit() {
    return marks.entrySet().stream().filter(mark -> mark.getValue() == 0).map(Map.Entry::getKey).toList();
  }

  /** Adds runs up. */
  static final class Builder {
    private final Map<FaultClass, Long> faults = new EnumMap<>(FaultClass.class);
    private final Map<OpKind, Long> operations = new EnumMap<>(OpKind.class);
    private final Map<String, Long> marks = new TreeMap<>();
    private final List<Failure> failures = new ArrayList<>();
    private final Consumer<Failure> failed;
    private LinkCounts links = new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0);
    private long seeds;
    private long repeated;
    private long events;
    private long virtualNs;
    private long undecided;
    private long failureCount;

    Builder(Consumer<Failure> failed) {
      this.failed = failed;
      for (PagerMark mark : PagerMark.values()) {
        marks.put(mark.name(), 0L);
      }
    }

    void add(ClusterResult result) {
      seeds++;
      events += result.events();
      virtualNs += result.virtualNs();
      undecided += result.undecided();
      links = links.plus(result.links());
      result.faults().forEach((kind, count) -> faults.merge(kind, (long) count, Long::sum));
      result.operations().forEach((kind, count) -> operations.merge(kind, (long) count, Long::sum));
      result.marks().forEach((name, count) -> marks.merge(name, count, Long::sum));
    }

    void repeated() {
      repeated++;
    }

    boolean wantsChart() {
      return failureCount < 3;
    }

    void fail(Failure failure) {
      failureCount++;
      failed.accept(failure);
      if (failures.size() < FAILURES_KEPT_MAX) {
        failures.add(failure);
      }
    }

    ClusterReport build() {
      return new ClusterReport(seeds, repeated, events, virtualNs, links, faults, operations, marks, undecided, List.copyOf(failures),
          failureCount);
    }
  }
}
