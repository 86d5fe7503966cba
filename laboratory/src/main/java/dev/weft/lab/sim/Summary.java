package dev.weft.lab.sim;

import dev.weft.fabric.link.LinkCounts;
import dev.weft.service.ExitCode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the reports of both workloads have in common: the lines for people, and how a run ends. */
final class Summary {
  private Summary() {}

  /** The first line. */
  static String seeds(long first, long last, long runs, long repeated, long failed, long events, long virtualNs, double seconds) {
    return String.format(Locale.ROOT, "seeds %d..%d: %d runs, %d of them twice, %d failed; %d events, %.1f s of virtual time in %.1f s%n",
        first, last, runs, repeated, failed, events, virtualNs / 1e9, seconds);
  }

  static String packets(LinkCounts f) {
    return String.format(Locale.ROOT,
        "packets: %d sent, %d lost, %d duplicated, %d reordered, %d corrupted and rejected, %d corrupted and let through, %d cut off%n",
        f.transmitted(), f.lost(), f.duplicated(), f.reordered(), f.corruptionsRejected(), f.corruptionsAccepted(), f.partitioned());
  }

  static String join(Map<?, Long> counts) {
    return counts.entrySet().stream().map(e -> e.getKey() + " " + e.getValue()).collect(Collectors.joining(", "));
  }

  /**
   * Prints the report and, where seeds failed, how the first is replayed.
   *
   * @param interrupted whether seeds are missing because the user wanted so
   * @param failures the failed runs that the report keeps, in order; {@code failureCount} counts all
   * @return the exit code
   */
  static <F> int conclude(PrintWriter out, PrintWriter err, String report, boolean interrupted, long failureCount, long seeds,
      List<F> failures, Function<F, String> replay) {
    out.println(report);
    out.flush();
    if (failureCount == 0) {
      return interrupted ? ExitCode.INTERRUPTED : ExitCode.OK;
    }
    err.println("weft: " + failureCount + " of " + seeds + " seeds violated an invariant; replay the first with "
        + replay.apply(failures.getFirst()));
    err.flush();
    return ExitCode.FAILURE;
  }
}
