package dev.weft.lab.kit;

import dev.weft.fabric.link.LinkCounts;
import java.util.List;
import java.util.Map;

/**
 * The result of one run. Keys of maps are names that the {@link Workload} lists.
 *
 * @param traceHash hash over all events and answers; the same in every JVM
 * @param virtualNs virtual time at the end
 * @param events number of mailbox steps and timers
 * @param links packets and faults of all cables
 * @param faults faults of nodes, by class
 * @param operations requests by kind
 * @param marks how often branches of recovery were taken, by name; branches never taken may be missing
 * @param undecided number of checks without a verdict, because too many orders were possible
 * @param shape the cluster and the faults in one line
 * @param violations texts of the checkers; empty if there are none
 * @param firstViolationNs virtual time of the first violation, or -1
 */
public record Result(long seed, long traceHash, long virtualNs, long events, LinkCounts links, Map<String, Integer> faults,
    Map<String, Integer> operations, Map<String, Long> marks, int undecided, String shape, List<String> violations,
    long firstViolationNs) {
  public boolean isClean() {
    return violations.isEmpty();
  }
}
