package dev.weft.launcher.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.fabric.link.LinkCounts;
import dev.weft.launcher.ExitCode;
import dev.weft.pager.sim.ClusterOptions;
import dev.weft.pager.sim.ClusterReport;
import dev.weft.pager.sim.ClusterRunner;
import dev.weft.pager.sim.FaultClass;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/**
 * The pager workload of {@code weft sim}: a range of seeds, or as many as fit in some minutes.
 *
 * @param seeds the range; with {@code minutes} only its first seed counts
 * @param minutes how long to go on, 0 for the range
 * @param chartLines lines of a failing run's message sequence chart
 */
record PagerSimulation(SeedRange seeds, double minutes, ClusterOptions options, int chartLines) {

  int run(PrintWriter out, PrintWriter err, boolean json) throws JsonProcessingException {
    // Servers are lost by the thousand here, and that is no news.
    ((Logger) LoggerFactory.getLogger("dev.weft.pager")).setLevel(Level.OFF);
    boolean isSoak = minutes > 0;
    ProgressBar bar = new ProgressBar(err, !isSoak && System.console() != null && System.console().isTerminal(), seeds.count());
    long startNs = System.nanoTime();
    long endNs = startNs + (long) (minutes * 60e9);
    long[] failures = {0};
    ClusterReport report = new ClusterRunner(options, chartLines).run(seeds.first(), isSoak ? Long.MAX_VALUE : seeds.last(),
        () -> isSoak && System.nanoTime() - endNs >= 0, result -> {
          failures[0] += result.isClean() ? 0 : 1;
          bar.step(failures[0]);
        });
    bar.clear();
    double seconds = (System.nanoTime() - startNs) / 1e9;
    out.println(json ? new ObjectMapper().writeValueAsString(toJson(report, seconds)) : text(report, seconds));
    out.flush();
    if (!report.isClean()) {
      err.println("weft: " + report.failureCount() + " of " + report.seeds() + " seeds violated an invariant; replay the first with "
          + report.failures().get(0).replay());
      err.flush();
    }
    return report.isClean() ? ExitCode.OK : ExitCode.FAILURE;
  }

  private String text(ClusterReport r, double seconds) {
    LinkCounts f = r.links();
    StringBuilder text = new StringBuilder();
    r.failures().forEach(failure -> text.append(failure.describe()).append('\n'));
    text.append(String.format(Locale.ROOT, "seeds %d..%d: %d runs, %d of them twice, %d failed; %d events, %.1f s of virtual time in %.1f s%n",
        seeds.first(), seeds.first() + r.seeds() - 1, r.seeds(), r.repeated(), r.failureCount(), r.events(), r.virtualNs() / 1e9, seconds));
    text.append(String.format(Locale.ROOT,
        "packets: %d sent, %d lost, %d duplicated, %d reordered, %d corrupted and rejected, %d corrupted and let through, %d cut off%n",
        f.transmitted(), f.lost(), f.duplicated(), f.reordered(), f.corruptionsRejected(), f.corruptionsAccepted(), f.partitioned()));
    text.append("nodes: ").append(join(r.faults())).append('\n');
    text.append("requests: ").append(join(r.operations())).append('\n');
    text.append("recovery: ").append(join(r.marks())).append('\n');
    if (r.undecided() > 0) {
      text.append("sectors with too many possible orders to look at: ").append(r.undecided()).append('\n');
    }
    return text.append("marks never hit: ").append(r.marksNeverHit().isEmpty() ? "none" : String.join(", ", r.marksNeverHit())).toString();
  }

  private static String join(Map<?, Long> counts) {
    return counts.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", "));
  }

  private Map<String, Object> toJson(ClusterReport r, double seconds) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("firstSeed", seeds.first());
    fields.put("seeds", r.seeds());
    fields.put("repeated", r.repeated());
    fields.put("failed", r.failureCount());
    fields.put("events", r.events());
    fields.put("virtualSeconds", r.virtualNs() / 1e9);
    fields.put("seconds", seconds);
    fields.put("allowedFaults", FaultClass.describe(options.faults()));
    fields.put("links", r.links());
    fields.put("faults", r.faults());
    fields.put("operations", r.operations());
    fields.put("marks", r.marks());
    fields.put("marksNeverHit", r.marksNeverHit());
    fields.put("undecided", r.undecided());
    fields.put("failures", r.failures());
    return fields;
  }
}
