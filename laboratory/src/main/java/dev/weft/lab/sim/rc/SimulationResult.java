package dev.weft.lab.sim.rc;

import dev.weft.fabric.link.LinkCounts;
import dev.weft.hca.verbs.WrOpcode;
import dev.weft.lab.kit.RecoveryMarks;
import java.util.List;
import java.util.Map;

/**
 * What one run of the simulation did.
 *
 * @param seed the seed
 * @param traceHash hash over every event, completion and answer; the same in every JVM
 * @param virtualNs virtual time reached
 * @param events mailbox steps and timers run
 * @param faults packets and faults of all cables
 * @param operations requests planned, by kind
 * @param recovery which branches of the transport's recovery were taken, how often
 * @param shape the fabric and the faults in one line
 * @param violations what the checkers found wrong, as text; empty if nothing
 */
public record SimulationResult(
    long seed,
    long traceHash,
    long virtualNs,
    long events,
    LinkCounts faults,
    Map<WrOpcode, Integer> operations,
    RecoveryMarks recovery,
    String shape,
    List<String> violations) {
  public boolean isClean() {
    return violations.isEmpty();
  }
}
