package dev.weft.lab.trials.dsm.command;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.report.DsmSnapshot;
import dev.weft.lab.trials.dsm.apps.Application;
import dev.weft.lab.trials.dsm.apps.Applications;
import dev.weft.lab.trials.dsm.apps.Check;
import dev.weft.lab.trials.dsm.apps.LocalRun;
import dev.weft.lab.trials.dsm.apps.Outcome;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.MeasureJson;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weft dsm run}. */
@Command(
    name = "run",
    description = {"Runs an application on shared memory, verifies its result and prints it. A wrong result, or a thread that fails, ends",
        "with exit code 1."})
public final class DsmRunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Mixin private TeamOptions options = new TeamOptions();

  @Parameters(index = "0", paramLabel = "APP", description = "an application of 'weft dsm list'")
  private String name;

  @Option(names = "--size", paramLabel = "SIZE", description = "one of its sizes (default: the first, which is small)")
  private String size;

  @Option(names = "--consistency", paramLabel = "CONSISTENCY", defaultValue = "sequential",
      description = "consistency of its arrays: sequential or release (default: ${DEFAULT-VALUE})")
  private String consistency;

  @Option(names = "--repeat", paramLabel = "N", defaultValue = "1",
      description = "number of runs, 1 to 100, in the same JVMs, each on arrays of its own; also of the sequential run of --verify. The first runs are slower: "
          + "their code is not compiled yet (default: ${DEFAULT-VALUE})")
  private int repeat;

  @Option(names = "--verify", description = "also compares with the sequential run on plain arrays, and prints the speed-up")
  private boolean verify;

  @Option(names = "--json", description = "one JSON object instead of text")
  private boolean json;

  @Override
  public Integer call() {
    Application application = application();
    String wanted = size == null ? application.sizes().getFirst() : size;
    TeamOptions.require(spec, application.sizes().contains(wanted), "--size is " + wanted + ", must be one of " + application.sizes());
    Team team = options.team(spec, 1);
    TeamOptions.require(spec, team.size() <= 64, "--nodes times --threads is " + team.size() + ", must be at most 64");
    TeamOptions.require(spec, repeat >= 1 && repeat <= 100, "--repeat is " + repeat + ", must be 1 to 100");
    TeamOptions.require(spec, !options.isMmu() || TeamOptions.consistency(spec, consistency) == Consistency.SEQUENTIAL,
        "--consistency release needs --access checked: page protection does not serve such arrays");
    RunTask task = new RunTask(List.of(RunTask.NAME, application.name(), wanted, TeamOptions.consistency(spec, consistency).configName(),
        Integer.toString(repeat)));
    List<DsmSnapshot> nodes = team.play(task);
    List<Check> checks = new ArrayList<>(task.outcome().checks());
    List<Double> sequential = new ArrayList<>();
    for (int run = 1; verify && run <= repeat; run++) {
      LocalRun.Timed timed = LocalRun.timed(application, wanted);
      sequential.add(timed.seconds());
      if (run == repeat) {
        checks.add(task.outcome().against(timed.outcome()));
      }
    }
    boolean passed = checks.stream().allMatch(Check::passed);
    if (json) {
      printJson(application, wanted, team, task, checks, sequential, nodes);
    } else {
      print(application, wanted, team, task, checks, sequential, nodes);
    }
    return passed ? ExitCode.OK : ExitCode.FAILURE;
  }

  private Application application() {
    try {
      return Applications.byName(name);
    } catch (IllegalArgumentException unknown) {
      throw new ParameterException(spec.commandLine(), unknown.getMessage(), unknown);
    }
  }

  private void print(Application application, String wanted, Team team, RunTask task, List<Check> checks, List<Double> sequential,
      List<DsmSnapshot> nodes) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(application.title() + ", size " + wanted);
    out.println(team.nodes() + " nodes, " + team.threads() + " threads each, " + team.jvms() + (team.jvms() == 1 ? " JVM" : " JVMs")
        + (TeamOptions.consistency(spec, consistency) == Consistency.RELEASE ? ", release consistency" : ""));
    task.outcome().lines().forEach(line -> out.println("  " + line));
    checks.forEach(check -> out.println("  " + (check.passed() ? "ok     " : "WRONG  ") + check.name() + ": " + check.detail()));
    nodes.forEach(node -> out.println(NodeLine.of(node)));
    out.println((checks.stream().allMatch(Check::passed) ? "verified, " : "WRONG, ") + times(task.seconds())
        + (verify ? " (the sequential run " + times(sequential) + ")" : ""));
    out.flush();
  }

  private static String times(List<Double> seconds) {
    return seconds.stream().map(each -> String.format(Locale.ROOT, "%.3f", each)).collect(Collectors.joining(", ")) + " s";
  }

  private void printJson(Application application, String wanted, Team team, RunTask task, List<Check> checks, List<Double> sequential,
      List<DsmSnapshot> nodes) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("application", application.name());
    object.put("size", wanted);
    object.put("nodes", team.nodes());
    object.put("threads", team.threads());
    object.put("jvms", team.jvms());
    object.put("consistency", TeamOptions.consistency(spec, consistency).configName());
    object.put("verified", checks.stream().allMatch(Check::passed));
    object.put("seconds", task.seconds().getLast());
    object.put("runs", task.seconds());
    if (verify) {
      object.put("sequentialSeconds", sequential.getLast());
      object.put("sequentialRuns", sequential);
    }
    object.put("checks", checks.stream().collect(Collectors.toMap(Check::name, Check::detail, (a, b) -> a + "; " + b, LinkedHashMap::new)));
    object.put("nodesHere", nodes);
    PrintWriter out = spec.commandLine().getOut();
    out.println(MeasureJson.line(object));
    out.flush();
  }
}
