package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The sums over a range of seeds.
 *
 * @param seeds number of seeds
 * @param repeated number of seeds that were run twice
 * @param events mailbox steps and timers
 * @param virtualNs virtual time of all runs
 * @param links packets and faults of all cables
 * @param faults faults of nodes, by class
 * @param operations requests by kind
 * @param marks how often each branch of recovery was taken
 * @param undecided number of checks without a verdict, because too many orders were possible
 * @param failures the first runs with violations, at most {@value #FAILURES_KEPT_MAX}
 * @param failureCount number of all runs with violations
 */
public record Report(long seeds, long repeated, long events, long virtualNs, LinkCounts links, Map<String, Long> faults,
    Map<String, Long> operations, Map<String, Long> marks, long undecided, List<Failure> failures, long failureCount) {
  static final int FAILURES_KEPT_MAX = 100;
  /** Number of failures that are shrunk and drawn. */
  private static final int SHOWN_MAX = 3;

  public boolean isClean() {
    return failureCount == 0;
  }

  /** Branches of recovery that no run took. */
  public List<String> marksNeverHit() {
    return marks.entrySet().stream().filter(mark -> mark.getValue() == 0).map(Map.Entry::getKey).toList();
  }

  /** Sums runs up. */
  static final class Builder {
    private final Workload<?> workload;
    private final Map<String, Long> faults = new LinkedHashMap<>();
    private final Map<String, Long> operations = new LinkedHashMap<>();
    private final Map<String, Long> marks;
    private final List<Failure> failures = new ArrayList<>();
    private final Consumer<Failure> failed;
    private LinkCounts links = new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0);
    private long seeds;
    private long repeated;
    private long events;
    private long virtualNs;
    private long undecided;
    private long failureCount;

    Builder(Workload<?> workload, Consumer<Failure> failed) {
      this.workload = workload;
      this.failed = failed;
      marks = new LinkedHashMap<>(workload.marks());
    }

    void add(Result result) {
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
      return failureCount < SHOWN_MAX;
    }

    void fail(Failure failure) {
      failureCount++;
      failed.accept(failure);
      if (failures.size() < FAILURES_KEPT_MAX) {
        failures.add(failure);
      }
    }

    private static Map<String, Long> inOrder(List<String> names, Map<String, Long> counts) {
      Map<String, Long> ordered = new LinkedHashMap<>();
      names.stream().filter(counts::containsKey).forEach(name -> ordered.put(name, counts.get(name)));
      counts.forEach(ordered::putIfAbsent);
      return Collections.unmodifiableMap(ordered);
    }

    Report build() {
      return new Report(seeds, repeated, events, virtualNs, links, inOrder(workload.faults(), faults),
          inOrder(workload.operations(), operations), Collections.unmodifiableMap(marks), undecided, List.copyOf(failures), failureCount);
    }
  }
}
