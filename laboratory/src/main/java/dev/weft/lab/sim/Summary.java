package dev.weft.lab.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.fabric.link.LinkCounts;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.RunOptions;
import dev.weft.lab.kit.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The summary of a sweep.
 *
 * @param first first seed
 * @param seconds duration of the sweep
 */
record Summary(Workload<?> workload, RunOptions<?> options, long first, Report report, double seconds) {
  /** What a workload does and checks, as text for users. */
  static String of(Workload<?> workload) {
    StringBuilder text = new StringBuilder(workload.name() + ": " + workload.title() + "\n");
    text.append("  options: ").append(workload.parameters().stream().map(p -> p.name() + " " + p.label()).collect(Collectors.joining(", ")));
    text.append("\n  operations: ").append(String.join(", ", workload.operations()));
    text.append("\n  faults: ").append(String.join(", ", workload.faults()));
    add(text, "what is checked", workload.checkers());
    add(text, "bugs to plant, which a simulation must find", Planting.bugs(workload));
    return text.append('\n').toString();
  }

  private static void add(StringBuilder text, String title, List<?> lines) {
    text.append("\n  ").append(title).append(':');
    lines.forEach(line -> text.append("\n    ").append(line));
  }

  /** The summary as text for users. */
  String text() {
    Report r = report;
    StringBuilder text = new StringBuilder(String.format(Locale.ROOT,
        "seeds %d..%d: %d runs, %d of them twice, %d failed; %d events, %.1f s of virtual time in %.1f s%n", first, first + r.seeds() - 1,
        r.seeds(), r.repeated(), r.failureCount(), r.events(), r.virtualNs() / 1e9, seconds));
    text.append(packets(r.links()));
    if (!r.faults().isEmpty()) {
      text.append("nodes: ").append(join(r.faults())).append('\n');
    }
    text.append("requests: ").append(join(r.operations())).append('\n');
    text.append("recovery: ").append(join(r.marks()));
    if (r.undecided() > 0) {
      text.append("\nundecided, because too many orders were possible: ").append(r.undecided());
    }
    if (!workload.marks().isEmpty()) {
      text.append("\nmarks never hit: ").append(r.marksNeverHit().isEmpty() ? "none" : String.join(", ", r.marksNeverHit()));
    }
    return text.toString();
  }

  private static String packets(LinkCounts f) {
    return String.format(Locale.ROOT,
        "packets: %d sent, %d lost, %d duplicated, %d reordered, %d corrupted and rejected, %d corrupted and let through, %d cut off%n",
        f.transmitted(), f.lost(), f.duplicated(), f.reordered(), f.corruptionsRejected(), f.corruptionsAccepted(), f.partitioned());
  }

  private static String join(Map<?, Long> counts) {
    return counts.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", "));
  }

  /** The summary as one JSON object. */
  String json() throws JsonProcessingException {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("workload", workload.name());
    fields.put("firstSeed", first);
    fields.put("lastSeed", first + report.seeds() - 1);
    fields.put("seeds", report.seeds());
    fields.put("repeated", report.repeated());
    fields.put("failed", report.failureCount());
    fields.put("events", report.events());
    fields.put("virtualSeconds", report.virtualNs() / 1e9);
    fields.put("seconds", seconds);
    Map<String, String> fixed = new LinkedHashMap<>();
    options.fixed().forEach((name, value) -> fixed.put(name.replaceFirst("^--", ""), value));
    fields.put("options", fixed);
    fields.put("links", report.links());
    fields.put("faults", report.faults());
    fields.put("operations", report.operations());
    fields.put("marks", report.marks());
    fields.put("marksNeverHit", report.marksNeverHit());
    fields.put("undecided", report.undecided());
    fields.put("failures", report.failures());
    return new ObjectMapper().writeValueAsString(fields);
  }
}
