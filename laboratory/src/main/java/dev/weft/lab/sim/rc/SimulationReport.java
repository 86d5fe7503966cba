package dev.weft.lab.sim.rc;

import dev.weft.fabric.link.LinkCounts;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.RecoveryMarks;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a range of seeds did, added up.
 *
 * @param options what was fixed
 * @param seeds runs
 * @param repeated of them, how many were run twice
 * @param events mailbox steps and timers
 * @param virtualNs virtual time, over all runs
 * @param faults packets and faults of all cables
 * @param operations requests by kind
 * @param recovery which recovery branches were taken
 * @param failures the runs with violations, at most the first 100
 * @param failureCount all runs with violations
 */
public record SimulationReport(
    SimulationOptions options,
    long seeds,
    long repeated,
    long events,
    long virtualNs,
    LinkCounts faults,
    Map<WrOpcode, Long> operations,
    RecoveryMarks recovery,
    List<Failure> failures,
    long failureCount) {

  /**
   * A seed that failed.
   *
   * @param replay the command that runs it again
   */
  public record Failure(long seed, String shape, List<String> violations, String replay) {
    /** Several lines of text. */
    public String describe() {
      StringBuilder text = new StringBuilder("seed " + seed + " failed: " + shape + "\n");
      violations.forEach(violation -> text.append("  ").append(violation).append('\n'));
      return text.append("  replay: ").append(replay).toString();
    }
  }

  public boolean isClean() {
    return failureCount == 0;
  }

  static String replayCommand(long seed, SimulationOptions options) {
    return "./weft sim --workload rc --seeds " + seed + ".." + seed + options.toArguments();
  }

  /** Adds runs up. */
  static final class Builder {
    private final SimulationOptions options;
    private final int failuresMax;
    private final Consumer<Failure> failed;
    private final List<Failure> failures = new ArrayList<>();
    private final Map<WrOpcode, Long> operations = new EnumMap<>(WrOpcode.class);
    private LinkCounts faults = new LinkCounts(0, 0, 0, 0, 0, 0, 0, 0);
    private RecoveryMarks recovery = RecoveryMarks.none();
    private long seeds;
    private long repeated;
    private long events;
    private long virtualNs;
    private long failureCount;

    Builder(SimulationOptions options, int failuresMax, Consumer<Failure> failed) {
      this.options = options;
      this.failuresMax = failuresMax;
      this.failed = failed;
    }

    void add(SimulationResult result) {
      seeds++;
      events += result.events();
      virtualNs += result.virtualNs();
      faults = faults.plus(result.faults());
      recovery = recovery.plus(result.recovery());
      result.operations().forEach((kind, count) -> operations.merge(kind, (long) count, Long::sum));
      if (!result.isClean()) {
        fail(result, result.violations());
      }
    }

    void addRepeated(SimulationResult first, SimulationResult again) {
      repeated++;
      if (first.traceHash() != again.traceHash()) {
        fail(first, List.of("the second run took another way: trace " + Long.toHexString(again.traceHash()) + " instead of "
            + Long.toHexString(first.traceHash()) + ", " + again.events() + " events instead of " + first.events()));
      }
    }

    private void fail(SimulationResult result, List<String> violations) {
      failureCount++;
      Failure failure = new Failure(result.seed(), result.shape(), violations, replayCommand(result.seed(), options));
      failed.accept(failure);
      if (failures.size() < failuresMax) {
        failures.add(failure);
      }
    }

    SimulationReport build() {
      return new SimulationReport(options, seeds, repeated, events, virtualNs, faults, operations, recovery,
          List.copyOf(failures), failureCount);
    }
  }
}
