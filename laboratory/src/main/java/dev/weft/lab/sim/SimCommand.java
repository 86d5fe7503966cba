package dev.weft.lab.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.weft.lab.kit.Failure;
import dev.weft.lab.kit.QuietLogs;
import dev.weft.lab.kit.Report;
import dev.weft.lab.kit.Result;
import dev.weft.lab.kit.RunOptions;
import dev.weft.lab.kit.SeedRunner;
import dev.weft.lab.kit.Workload;
import dev.weft.lab.kit.Workloads;
import dev.weft.service.ExitCode;
import dev.weft.service.IdleOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft sim}. It knows no workload. */
@Command(
    name = "sim",
    description = {"Runs a cluster in deterministic virtual time under faults, once for each seed, and checks what comes out: a pager with its",
        "servers and clients, with --workload dsm threads in shared memory, with --workload pvfs a parallel file system, or with --workload rc the",
        "transport alone, with every verb. A seed gives the same run on every machine.",
        "What is not fixed is drawn from the seed. Failures are shown when they happen; the first ones are cut down before that, and drawn",
        "as a message sequence chart. Ctrl-C ends with the seed under way, and with the summary."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft sim --seeds 1..200",
        "  ./weft sim --minutes 30                 as many seeds as fit",
        "  ./weft sim --seeds 1..50 --faults loss,server-crash",
        "  ./weft sim --workload rc --seeds 1..1000",
        "  ./weft sim --seeds 42..42 --loss 0.02   one run of the transport, its loss rate fixed",
        "  ./weft sim --list                       workloads, and what each does and checks"})
public final class SimCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--list", description = "says which workloads there are, and what each does and checks; runs nothing")
  private boolean list;

  @Option(names = "--workload", paramLabel = "NAME",
      description = "what runs: pager, a whole cluster; dsm, shared memory; dsm-litmus, litmus shapes on it; pvfs, a parallel file system; "
          + "or rc, the transport alone (default: pager; another when an option of it is given)")
  private String name;

  @Option(names = "--minutes", paramLabel = "M", description = "go on from the first seed for so long")
  private double minutes;

  @Option(names = "--chart", paramLabel = "LINES", defaultValue = "60", description = "lines of a failing run's chart (default: ${DEFAULT-VALUE})")
  private int chartLines;

  @Option(names = "--seeds", paramLabel = "A..B", defaultValue = "1..100", converter = SeedRange.Converter.class,
      description = "seeds to run, both ends included (default: ${DEFAULT-VALUE})")
  private SeedRange seeds;

  @Option(names = "--json", description = "the report as one JSON object")
  private boolean json;

  private SimCommand() {}

  /** The command with the options of all workloads on the class path. */
  public static CommandSpec create() {
    return SimOptions.addTo(CommandSpec.forAnnotatedObject(new SimCommand()));
  }

  @Override
  public Integer call() throws JsonProcessingException {
    if (minutes < 0 || chartLines < 0) {
      throw new ParameterException(spec.commandLine(), "--minutes and --chart must not be negative");
    }
    if (list) {
      IdleOptions.refuse(spec, "with --list, which runs nothing", "--minutes", "--chart", "--seeds", "--json");
      (name == null ? Workloads.all() : List.of(SimOptions.workload(spec, name)))
          .forEach(workload -> spec.commandLine().getOut().print(Summary.of(workload)));
      spec.commandLine().getOut().flush();
      return ExitCode.OK;
    }
    return run(SimOptions.workload(spec, name));
  }

  private <O extends RunOptions<O>> int run(Workload<O> workload) throws JsonProcessingException {
    O options;
    try {
      options = workload.options(SimOptions.given(spec, workload));
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage(), wrong);
    }
    workload.noise().forEach(QuietLogs::silence);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    boolean isSoak = minutes > 0;
    long startNs = System.nanoTime();
    long endNs = startNs + (long) (minutes * 60e9);
    try (LiveRun live = new LiveRun(json ? err : out, err, isSoak ? 0 : seeds.count())) {
      Report report = new SeedRunner<>(workload, options, chartLines).run(seeds.first(), isSoak ? Long.MAX_VALUE : seeds.last(),
          () -> live.isInterrupted() || isSoak && System.nanoTime() - endNs >= 0, observer(live));
      live.end();
      Summary summary = new Summary(workload, options, seeds.first(), report, (System.nanoTime() - startNs) / 1e9);
      out.println(json ? summary.json() : summary.text());
      out.flush();
      return conclude(report, live.isInterrupted());
    }
  }

  private static SeedRunner.Observer observer(LiveRun live) {
    return new SeedRunner.Observer() {
      @Override
      public void onFailing(Result result) {
        live.news("seed " + result.seed() + " failed and is being cut down: " + result.violations().getFirst());
      }

      @Override
      public void onFailed(Failure failure) {
        live.failed(failure.describe());
      }

      @Override
      public void onRun(Result result) {
        live.step(result.isClean());
      }
    };
  }

  /** Says, where seeds failed, how the first is replayed. */
  private int conclude(Report report, boolean interrupted) {
    if (report.isClean()) {
      return interrupted ? ExitCode.INTERRUPTED : ExitCode.OK;
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println("weft: " + report.failureCount() + " of " + report.seeds() + " seeds violated an invariant; replay the first with "
        + report.failures().getFirst().replay());
    err.flush();
    return ExitCode.FAILURE;
  }
}
