package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.LatencyRecorder;
import dev.weft.service.measure.MeasureJson;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft dsm bench}. */
@Command(
    name = "bench",
    description = {"Measures the cost of shared memory, in microseconds.",
        "faults, locks, barriers, false-sharing: the cost of each. hits: reads of data that the node has, compared with a plain array.",
        "hops: consecutive messages for which a fault waits, with fixed, centralized and dynamic homes.",
        "protect: page protection in an application's own process, for groups of pages, with one call and with many.",
        "The first two threads measure; threads of other nodes only join."})
public final class DsmBenchCommand implements Callable<Integer> {
  private static final Map<String, Integer> ITERATIONS =
      Map.of(FaultBench.NAME, 10_000, HopsBench.NAME, 20, LockBench.NAME, 10_000, BarrierBench.NAME, 20_000, FalseSharingBench.NAME, 100_000,
          HitBench.NAME, 1_000, ProtectBench.NAME, 2_000);
  private static final int ITERATIONS_MAX = 100_000_000;

  @Spec private CommandSpec spec;

  @Mixin private TeamOptions options = new TeamOptions();

  @Parameters(index = "0", paramLabel = "WHAT", description = "faults, hops, locks, barriers, false-sharing, hits or protect")
  private String what;

  @Option(names = "--iterations", paramLabel = "N", description = "runs of each measurement (default: 20 to 100,000)")
  private Integer iterations;

  @Option(names = "--consistency", paramLabel = "CONSISTENCY", defaultValue = "sequential",
      description = "consistency of the page of false-sharing: sequential or release (default: ${DEFAULT-VALUE})")
  private String consistency;

  @Option(names = "--json", description = "one JSON object instead of a table")
  private boolean json;

  @Override
  public Integer call() {
    TeamOptions.require(spec, ITERATIONS.containsKey(what), "no measurement '" + what + "', must be one of "
        + ITERATIONS.keySet().stream().sorted().toList());
    int times = iterations == null ? ITERATIONS.get(what) : iterations;
    TeamOptions.require(spec, times >= 1 && times <= ITERATIONS_MAX, "--iterations is " + times + ", must be from 1 to " + ITERATIONS_MAX);
    Consistency wanted = TeamOptions.consistency(spec, consistency);
    TeamOptions.require(spec, wanted == Consistency.SEQUENTIAL || what.equals(FalseSharingBench.NAME),
        "--consistency release is for false-sharing, not for " + what);
    if (what.equals(ProtectBench.NAME)) {
      return print(new LinkedHashMap<>(), new ProtectBench(times).measure());
    }
    if (what.equals(HitBench.NAME)) {
      return print(new LinkedHashMap<>(), new HitBench(times).measure());
    }
    TeamOptions.require(spec, !options.isMmu(), "--access mmu is for run and litmus; bench protect measures page protection");
    Team team = options.team(spec, 2);
    Bench bench = (Bench) Tasks.of(List.of(what, Integer.toString(times), wanted.configName()));
    List<DsmSnapshot> nodes = team.play(bench);
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("nodes", team.nodes());
    object.put("threads", team.threads());
    object.put("jvms", team.jvms());
    object.put("nodesHere", nodes);
    bench.hops().forEach(each -> object.put(each.what(), Map.of("faults", each.faults(), "hopsPerFault", each.each())));
    int code = print(object, bench.rows());
    if (!json) {
      bench.hops().forEach(each -> spec.commandLine().getOut().println(String.format(Locale.ROOT, "%-60s %9.2f hops each of %d faults", each.what(),
          each.each(), each.faults())));
      nodes.forEach(node -> spec.commandLine().getOut().println(NodeLine.of(node)));
      spec.commandLine().getOut().flush();
    }
    return code;
  }

  private int print(Map<String, Object> team, List<Bench.Row> rows) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("bench", what);
      object.putAll(team);
      rows.forEach(row -> object.put(row.what(), MeasureJson.latency(row.latency())));
      out.println(MeasureJson.line(object));
    } else {
      if (!rows.isEmpty()) {
        out.println(String.format(Locale.ROOT, "%-60s %9s %9s %9s %9s  us", "", "median", "mean", "99%", "max"));
      }
      rows.forEach(row -> out.println(line(row.what(), row.latency())));
    }
    out.flush();
    return ExitCode.OK;
  }

  private static String line(String what, LatencyRecorder.Summary us) {
    return String.format(Locale.ROOT, "%-60s %9.3f %9.3f %9.3f %9.3f", what, us.median(), us.mean(), us.p99(), us.max());
  }
}
