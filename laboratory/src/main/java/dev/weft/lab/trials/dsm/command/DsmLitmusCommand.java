package dev.weft.lab.trials.dsm.command;

import dev.weft.lab.trials.dsm.check.CheckResult;
import dev.weft.lab.trials.dsm.check.History;
import dev.weft.lab.trials.dsm.check.HistoryFormatException;
import dev.weft.lab.trials.dsm.check.HistoryText;
import dev.weft.lab.trials.dsm.check.Linearizability;
import dev.weft.lab.trials.dsm.check.Verdict;
import dev.weft.lab.trials.dsm.litmus.LitmusReport;
import dev.weft.lab.trials.dsm.litmus.LitmusShape;
import dev.weft.lab.trials.dsm.litmus.LitmusShapes;
import dev.weft.lab.trials.dsm.litmus.MutexReport;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import dev.weft.service.measure.MeasureJson;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

/** {@code weft dsm litmus}. */
@Command(
    name = "litmus",
    description = {"Runs litmus shapes, and locks made of reads and writes, on shared memory, and checks that their outcomes are sequentially",
        "consistent. A violation ends with exit code 1."})
public final class DsmLitmusCommand implements Callable<Integer> {
  private static final int ROUNDS_MAX = 100_000_000;

  @Spec private CommandSpec spec;

  @Mixin private TeamOptions options = new TeamOptions();

  @Parameters(arity = "0..*", paramLabel = "SHAPE",
      description = "names of shapes, such as SB or IRIW; or 'mutex' (default: all for which there are enough threads)")
  private List<String> names = new ArrayList<>();

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "20000", description = "rounds of each shape and placement (default: ${DEFAULT-VALUE})")
  private int rounds;

  @Option(names = "--entries", paramLabel = "N", defaultValue = "100000",
      description = "entries of all threads together into each lock, for each placement (default: ${DEFAULT-VALUE})")
  private int entries;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "random seed of the threads' orders (default: ${DEFAULT-VALUE})")
  private long seed;

  @Option(names = "--record", paramLabel = "FILE",
      description = "runs random operations on a few words instead, writes to FILE when each began and ended, and checks them")
  private Path record;

  @Option(names = "--operations", paramLabel = "N", defaultValue = "200", description = "operations of each thread, with --record (default: ${DEFAULT-VALUE})")
  private int operations;

  @Option(names = "--check", paramLabel = "FILE", description = "checks a file or directory that --record has written; runs nothing")
  private Path check;

  @Option(names = "--json", description = "a JSON object for each shape and lock, a line each")
  private boolean json;

  @Override
  public Integer call() {
    TeamOptions.require(spec, rounds >= 1 && rounds <= ROUNDS_MAX, "--rounds is " + rounds + ", must be from 1 to " + ROUNDS_MAX);
    TeamOptions.require(spec, entries >= 1 && entries <= ROUNDS_MAX, "--entries is " + entries + ", must be from 1 to " + ROUNDS_MAX);
    TeamOptions.require(spec, operations >= 1 && operations <= RecordTask.OPERATIONS_MAX, "--operations is " + operations + ", must be from 1 to "
        + RecordTask.OPERATIONS_MAX);
    TeamOptions.require(spec, names.isEmpty() || record == null && check == null, "--record and --check go without shapes");
    TeamOptions.require(spec, record == null || check == null, "--record already checks its operations; omit --check");
    if (check != null) {
      return check(read());
    }
    Team team = options.team(spec, 1);
    TeamOptions.require(spec, record == null || !options.isMmu(), "--record is for --access checked");
    if (record != null) {
      return record(team);
    }
    boolean wantsMutex = names.isEmpty() || names.remove(MutexTask.NAME);
    List<LitmusShape> shapes = shapes(team.size(), wantsMutex);
    boolean holds = true;
    PrintWriter out = spec.commandLine().getOut();
    if (!shapes.isEmpty()) {
      LitmusTask task = new LitmusTask(List.of(LitmusTask.NAME, Integer.toString(rounds), Long.toString(seed),
          shapes.stream().map(LitmusShape::name).collect(Collectors.joining(","))));
      team.play(task);
      for (LitmusReport report : task.reports()) {
        holds &= report.holds();
        out.println(json ? json(report) : report.toString());
      }
    }
    if (wantsMutex) {
      MutexTask task = new MutexTask(List.of(MutexTask.NAME, Integer.toString(entries)));
      team.play(task);
      for (MutexReport report : task.reports()) {
        holds &= report.holds();
        out.println(json ? json(report) : report.toString());
      }
    }
    if (!json) {
      out.println(holds ? "No outcome violated sequential consistency." : "VIOLATED: see above.");
    }
    out.flush();
    return holds ? ExitCode.OK : ExitCode.FAILURE;
  }

  private int record(Team team) {
    TeamOptions.require(spec, team.size() * (long) operations <= History.OPERATIONS_MAX, team.size() + " threads times --operations " + operations
        + " is more than " + History.OPERATIONS_MAX);
    RecordTask task = new RecordTask(List.of(RecordTask.NAME, Integer.toString(operations), Long.toString(seed)));
    team.play(task);
    try (BufferedWriter to = Files.newBufferedWriter(record)) {
      HistoryText.write(task.history(), to);
    } catch (IOException e) {
      throw new CommandFailure("cannot write " + record + ": " + why(e));
    }
    return check(task.history());
  }

  private static String why(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "there is no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      case FileSystemException system when system.getReason() != null -> system.getReason();
      case CharacterCodingException _ -> "it is no text in UTF-8";
      default -> e.getMessage();
    };
  }

  private History read() {
    try (BufferedReader from = Files.newBufferedReader(check)) {
      return HistoryText.read(from, check.toString());
    } catch (HistoryFormatException wrong) {
      throw new CommandFailure(wrong.getMessage());
    } catch (IOException e) {
      throw new CommandFailure("cannot read " + check + ": " + why(e));
    }
  }

  /** Checks each word alone: sequential consistency that serves one minipage at a time is linearizable, word by word. */
  private int check(History history) {
    CheckResult result = new Linearizability().check(history);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      Map<String, Object> object = new LinkedHashMap<>();
      object.put("operations", history.operations().size());
      object.put("words", result.words().size());
      object.put("verdict", result.verdict().toString());
      object.put("misfits", result.misfits().stream().map(Object::toString).toList());
      out.println(MeasureJson.line(object));
    } else {
      out.println(result);
    }
    out.flush();
    return result.verdict() == Verdict.HOLDS ? ExitCode.OK : ExitCode.FAILURE;
  }

  private List<LitmusShape> shapes(int threads, boolean wantsMutex) {
    if (names.isEmpty()) {
      // No names: all shapes that fit. Only "mutex": none.
      return wantsMutex && !spec.commandLine().getParseResult().matchedArgs().stream().anyMatch(arg -> arg.isPositional())
          ? LitmusShapes.all().stream().filter(shape -> shape.threads().size() <= threads).toList() : List.of();
    }
    List<LitmusShape> shapes = new ArrayList<>();
    for (String name : names) {
      try {
        shapes.add(LitmusShapes.named(name));
      } catch (IllegalArgumentException unknown) {
        throw new ParameterException(spec.commandLine(), unknown.getMessage() + ", mutex", unknown);
      }
    }
    for (LitmusShape shape : shapes) {
      TeamOptions.require(spec, shape.threads().size() <= threads, shape.name() + " has " + shape.threads().size() + " threads, --nodes times --threads is "
          + threads);
    }
    return shapes;
  }

  private static String json(LitmusReport report) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("shape", report.shape().name());
    object.put("placement", report.placement().name());
    object.put("rounds", report.rounds());
    object.put("holds", report.holds());
    object.put("allowedOutcomes", report.outcomes().allowed().size());
    Map<String, Long> seen = new LinkedHashMap<>();
    report.seen().forEach((outcome, count) -> seen.put(report.shape().describe(outcome), count));
    object.put("seen", seen);
    return MeasureJson.line(object);
  }

  private static String json(MutexReport report) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("lock", report.algorithm().toString());
    object.put("placement", report.placement().name());
    object.put("threads", report.threads());
    object.put("entries", report.entries());
    object.put("intrusions", report.intrusions());
    object.put("lost", report.lost());
    object.put("stuck", report.stuck());
    object.put("holds", report.holds());
    return MeasureJson.line(object);
  }
}
