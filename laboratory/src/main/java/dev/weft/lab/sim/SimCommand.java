package dev.weft.lab.sim;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.weft.lab.kit.Failure;
import dev.weft.lab.kit.PlantedBug;
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
import java.util.concurrent.atomic.AtomicBoolean;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weft sim}. It does not depend on any workload. */
@Command(
    name = "sim",
    description = {"Simulates a cluster under faults in virtual time, once for each seed, and checks it.",
        "--workload chooses what runs. Options fix parts of a run; the seed decides everything else. A seed gives the same run on every machine.",
        "Failures are printed when they happen. The first ones are first reduced to a smaller run that also fails, and drawn as a message "
            + "sequence chart.",
        "Ctrl-C ends the command after the current seed; it then prints the summary."},
    footerHeading = "%nExamples:%n",
    footer = {
        "  ./weft sim --seeds 1..200",
        "  ./weft sim --minutes 30                 as many seeds as fit",
        "  ./weft sim --seeds 1..50 --faults loss,server-crash",
        "  ./weft sim --workload rc --seeds 1..1000",
        "  ./weft sim --seeds 42..42 --loss 0.02   one run with a fixed loss rate",
        "  ./weft sim --seeds 7..7 --draw          the chart of one seed",
        "  ./weft sim --workload rc --plant RcResponder.onRequest.acceptGap",
        "  ./weft sim --list                       workloads, their checks, bugs to plant"})
public final class SimCommand implements Callable<Integer> {
  private static final int DRAWN_MAX = 3;

  @Spec private CommandSpec spec;
  /** Whether these classes are the copy with the planted bug. */
  private final boolean planted;

  @Option(names = "--list", description = "list the workloads, what each does and checks, and the bugs to plant; run nothing")
  private boolean list;

  @Option(names = "--workload", paramLabel = "NAME",
      description = "what to run: pager, a whole cluster; dsm, shared memory; dsm-litmus, litmus shapes on it; pvfs, a parallel file system; "
          + "pvfs-appends, clients that append to the same files; or rc, the transport alone "
          + "(default: pager, or the workload that a given option belongs to)")
  private String name;

  @Option(names = "--minutes", paramLabel = "M", description = "run for M minutes, with as many seeds as fit, from the first of --seeds on")
  private double minutes;

  @Option(names = "--chart", paramLabel = "LINES", defaultValue = "60",
      description = "largest number of lines in the chart of a failing run (default: ${DEFAULT-VALUE})")
  private int chartLines;

  @Option(names = "--seeds", paramLabel = "A..B", defaultValue = "1..100", converter = SeedRange.Converter.class,
      description = "seeds to run, both ends included (default: ${DEFAULT-VALUE})")
  private SeedRange seeds;

  @Option(names = "--draw", description = "draw the chart of each seed, even if it passes; for at most " + DRAWN_MAX + " seeds")
  private boolean draw;

  @Option(names = "--plant", paramLabel = "BUG",
      description = "plant a bug that --list names, and run until a seed finds it; needs a checkout")
  private String plant;

  @Option(names = "--json", description = "the report as one JSON object")
  private boolean json;

  private SimCommand(boolean planted) {
    this.planted = planted;
  }

  /** The command with the options of all workloads on the class path. */
  public static CommandSpec create() {
    return create(false);
  }

  static CommandSpec create(boolean planted) {
    return SimOptions.addTo(CommandSpec.forAnnotatedObject(new SimCommand(planted)));
  }

  @Override
  public Integer call() throws JsonProcessingException {
    if (minutes < 0 || chartLines < 0) {
      throw new ParameterException(spec.commandLine(), "--minutes is " + minutes + " and --chart is " + chartLines + "; both must be 0 or more");
    }
    if (list) {
      IdleOptions.refuse(spec, "with --list, which runs nothing", "--minutes", "--chart", "--seeds", "--json", "--draw", "--plant");
      (name == null ? Workloads.all() : List.of(SimOptions.workload(spec, name)))
          .forEach(workload -> spec.commandLine().getOut().print(Summary.of(workload)));
      spec.commandLine().getOut().flush();
      return ExitCode.OK;
    }
    if (draw && (minutes > 0 || seeds.count() > DRAWN_MAX)) {
      throw new ParameterException(spec.commandLine(), "--draw takes at most " + DRAWN_MAX + " seeds, such as --seeds 7..7");
    }
    Workload<?> workload = SimOptions.workload(spec, name);
    return plant == null || planted ? run(workload) : plant(workload);
  }

  private int plant(Workload<?> workload) {
    try {
      PlantedBug bug = Planting.bug(workload, plant);
      PrintWriter err = spec.commandLine().getErr();
      err.println("weft: planted: " + bug.what());
      err.flush();
      List<String> words = spec.commandLine().getParseResult().originalArgs();
      return Planting.run(bug, words.subList(words.indexOf(spec.name()) + 1, words.size()), spec.commandLine().getOut(), err);
    } catch (IllegalArgumentException wrong) {
      throw new ParameterException(spec.commandLine(), wrong.getMessage(), wrong);
    }
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
      SeedRunner<O> runner = new SeedRunner<>(workload, options, chartLines);
      AtomicBoolean found = new AtomicBoolean();
      Report report = runner.run(seeds.first(), isSoak ? Long.MAX_VALUE : seeds.last(),
          () -> live.isInterrupted() || found.get() || isSoak && System.nanoTime() - endNs >= 0, observer(live, runner, found));
      live.end();
      Summary summary = new Summary(workload, options, seeds.first(), report, (System.nanoTime() - startNs) / 1e9);
      out.println(json ? summary.json() : summary.text());
      out.flush();
      return conclude(report, live.isInterrupted());
    }
  }

  private SeedRunner.Observer observer(LiveRun live, SeedRunner<?> runner, AtomicBoolean found) {
    return new SeedRunner.Observer() {
      @Override
      public void onFailing(Result result) {
        live.news("seed " + result.seed() + " failed, and is being reduced to a smaller run that also fails: " + result.violations().getFirst());
      }

      @Override
      public void onFailed(Failure failure) {
        live.tell(failure.describe() + plantArgument());
        found.set(planted);
      }

      @Override
      public void onRun(Result result) {
        if (draw && result.isClean()) {
          live.tell("seed " + result.seed() + " passed: " + result.shape() + "\n" + runner.chart(result.seed()));
        }
        live.step(result.isClean());
      }
    };
  }

  /** The option that a replay command needs to fail again. */
  private String plantArgument() {
    return plant == null ? "" : " --plant " + plant;
  }

  /** Prints, after a failure, how to replay the first failed seed. */
  private int conclude(Report report, boolean interrupted) {
    if (report.isClean()) {
      return interrupted ? ExitCode.INTERRUPTED : ExitCode.OK;
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println("weft: " + report.failureCount() + " of " + report.seeds() + " seeds violated an invariant; replay the first with "
        + report.failures().getFirst().replay() + plantArgument());
    err.flush();
    return ExitCode.FAILURE;
  }
}
