package dev.weft.lab.kit;

import dev.weft.hca.verbs.HcaSnapshot;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often each branch of the transport's recovery was taken, by name and in a fixed order: the coverage of a simulation.
 *
 * @param counts counts by name
 */
public record RecoveryMarks(Map<String, Long> counts) {
  public RecoveryMarks {
    counts = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(counts));
  }

  /** No counts. */
  public static RecoveryMarks none() {
    return new RecoveryMarks(Map.of());
  }

  /** The count of one branch. */
  public static RecoveryMarks one(String name, long count) {
    return new RecoveryMarks(Map.of(name, count));
  }

  /** The counts of one HCA. */
  public static RecoveryMarks of(HcaSnapshot.Counters c) {
    Map<String, Long> marks = new LinkedHashMap<>();
    marks.put("sequence NAK received", c.sequenceNaksReceived());
    marks.put("out-of-sequence request dropped", c.outOfSequenceRequests());
    marks.put("packet sent again", c.packetsRetransmitted());
    marks.put("acknowledgement timeout", c.timeouts());
    marks.put("RNR NAK received", c.rnrNaksReceived());
    marks.put("RNR timer expired", c.rnrTimeouts());
    marks.put("RNR ended by a posted receive", c.rnrResumes());
    marks.put("duplicate request", c.duplicateRequests());
    marks.put("duplicate read executed again", c.readsRepeated());
    marks.put("duplicate atomic answered from saved result", c.atomicsReplayed());
    marks.put("lost response noticed by a later one", c.impliedNaks());
    marks.put("stale packet dropped", c.packetsDropped());
    marks.put("waited for a link credit", c.creditStalls());
    marks.put("message of UC or UD found no receive", c.receivesMissing());
    marks.put("message of UC or UD dropped", c.messagesDropped());
    marks.put("datagram with a wrong queue key dropped", c.qkeyViolations());
    return new RecoveryMarks(marks);
  }

  /** The sum of both. */
  public RecoveryMarks plus(RecoveryMarks other) {
    Map<String, Long> sum = new LinkedHashMap<>(counts);
    other.counts.forEach((name, count) -> sum.merge(name, count, Long::sum));
    return new RecoveryMarks(sum);
  }
}
