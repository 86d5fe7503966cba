package dev.weft.lab.sim;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.sim.pager.ClusterOptions;
import dev.weft.lab.sim.pager.ClusterReport;
import dev.weft.lab.sim.pager.ClusterResult;
import dev.weft.lab.sim.pager.ClusterRunner;
import dev.weft.lab.sim.pager.FaultClass;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
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
    long startNs = System.nanoTime();
    long endNs = startNs + (long) (minutes * 60e9);
    try (LiveRun live = new LiveRun(json ? err : out, err, isSoak ? 0 : seeds.count())) {
      ClusterReport report = new ClusterRunner(options, chartLines).run(seeds.first(), isSoak ? Long.MAX_VALUE : seeds.last(),
          () -> live.isInterrupted() || isSoak && System.nanoTime() - endNs >= 0, result -> live.step(result.isClean()), observer(live));
      live.end();
      double seconds = (System.nanoTime() - startNs) / 1e9;
      String shown = json ? new ObjectMapper().writeValueAsString(toJson(report, seconds)) : text(report, seconds);
      return Summary.conclude(out, err, shown, live.isInterrupted(), report.failureCount(), report.seeds(), report.failures(),
          failure -> failure.replay());
    }
  }

  private static ClusterRunner.FailureObserver observer(LiveRun live) {
    return new ClusterRunner.FailureObserver() {
      @Override
      public void onFailing(ClusterResult result) {
        live.news("seed " + result.seed() + " failed and is being cut down: " + result.violations().getFirst());
      }

      @Override
      public void onFailed(ClusterReport.Failure failure) {
        live.failed(failure.describe());
      }
    };
  }

  private String text(ClusterReport r, double seconds) {
    StringBuilder text = new StringBuilder();
    text.append(Summary.seeds(seeds.first(), seeds.first() + r.seeds() - 1, r.seeds(), r.repeated(), r.failureCount(), r.events(),
        r.virtualNs(), seconds));
    text.append(Summary.packets(r.links()));
    text.append("nodes: ").append(Summary.join(r.faults())).append('\n');
    text.append("requests: ").append(Summary.join(r.operations())).append('\n');
    text.append("recovery: ").append(Summary.join(r.marks())).append('\n');
    if (r.undecided() > 0) {
      text.append("sectors with too many possible orders to look at: ").append(r.undecided()).append('\n');
    }
    return text.append("marks never hit: ").append(r.marksNeverHit().isEmpty() ? "none" : String.join(", ", r.marksNeverHit())).toString();
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
