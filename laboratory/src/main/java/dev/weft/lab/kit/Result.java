package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkCounts;
import java.util.List;
import java.util.Map;

/**
 * What one run did. Keys of maps are names that the {@link Workload} lists.
 *
 * @param traceHash hash over every event and answer; the same in every JVM
 * @param virtualNs virtual time reached
 * @param events mailbox steps and timers run
 * @param links packets and faults of all cables
 * @param faults what happened to nodes, by class
 * @param operations requests by kind
 * @param marks how often branches of recovery were taken, by name; those never taken may be missing
 * @param undecided what a checker could not decide, because too many orders were possible
 * @param shape the cluster and the faults in one line
 * @param violations what the checkers found wrong, as text; empty if nothing
 * @param firstViolationNs virtual time of the first, or -1
 */
public record Result(long seed, long traceHash, long virtualNs, long events, LinkCounts links, Map<String, Integer> faults,
    Map<String, Integer> operations, Map<String, Long> marks, int undecided, String shape, List<String> violations,
    long firstViolationNs) {
  public boolean isClean() {
    return violations.isEmpty();
  }
}
