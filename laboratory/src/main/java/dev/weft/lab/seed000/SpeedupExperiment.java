package dev.weft.lab.seed000;

import dev.weft.lab.repro.Agreement;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.PaperPoint;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.repro.Tolerance;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import dev.weft.lab.seed000.shared.Breakdown;
import dev.weft.lab.seed000.shared.Program;
import dev.weft.lab.seed000.shared.Runs;
import dev.weft.lab.seed000.shared.Setup;
import dev.weft.lab.seed000.shared.SharedRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Table 2 of seed 000: speed-ups of eight applications on eight hosts, with one thread and with two on each. */
public final class SpeedupExperiment extends NamedExperiment {
  static final int HOSTS = 8;
  private static final int THREADS_MAX = 2;
  private static final double RANK_CORRELATION_LEAST = 0.9;
  private static final int WITHIN_LEAST = 6;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_US = 1e3;
  private static final double PERCENT = 100;

  private final List<Program> programs;

  public SpeedupExperiment() {
    this(Program.TABLE);
  }

  /** Of other sizes, for tests. */
  SpeedupExperiment(List<Program> programs) {
    super("dsm-speedup", "seed 000 Table 2: speed-ups on shared memory, 8 hosts, 1 and 2 threads on each", "ib-2003-p3", List.of());
    this.programs = List.copyOf(programs);
  }

  private static String row(Program program, int threads) {
    return "dsm.t2." + program.title().toLowerCase(Locale.ROOT) + ".k" + threads;
  }

  private List<String> column(int threads) {
    return programs.stream().map(program -> row(program, threads)).toList();
  }

  @Override
  public List<String> rows() {
    List<String> rows = new ArrayList<>();
    programs.forEach(program -> {
      for (int threads = 1; threads <= THREADS_MAX; threads++) {
        rows.add(row(program, threads));
      }
    });
    return rows;
  }

  @Override
  public Tolerance tolerance(String row) {
    return Tolerance.relative(0.2);
  }

  @Override
  public Map<String, String> choices() {
    Map<String, String> choices = new TreeMap<>();
    for (Program program : programs) {
      for (String row : List.of(row(program, 1), row(program, 2))) {
        choices.put(row, "our program at size " + program.size() + " and costs of docs/internals/shared-memory-fidelity.md");
      }
    }
    return choices;
  }

  @Override
  public List<Agreement> agreements() {
    return List.of(new Agreement("one thread", column(1), RANK_CORRELATION_LEAST, WITHIN_LEAST),
        new Agreement("two threads", column(2), RANK_CORRELATION_LEAST, WITHIN_LEAST));
  }

  @Override
  public Findings run(Setting setting) {
    Runs runs = new Runs(setting.profile(), setting.seed());
    List<Setup> setups = new ArrayList<>();
    for (Program program : programs) {
      for (int threads = 1; threads <= THREADS_MAX; threads++) {
        setups.add(program.on(HOSTS, threads));
      }
    }
    List<SharedRun.Result> results = runs.of(setups);
    Findings findings = new Findings();
    List<List<Object>> lines = new ArrayList<>();
    List<List<Object>> shares = new ArrayList<>();
    for (int i = 0; i < results.size(); i++) {
      SharedRun.Result result = results.get(i);
      Program program = programs.get(i / THREADS_MAX);
      findings.row(row(program, result.setup().threads()), Measured.value(result.speedup()));
      lines.add(List.of(program.title(), program.size(), (double) result.setup().threads(), runs.sequentialNs(result.setup()) / NS_PER_MS,
          result.elapsedNs() / NS_PER_MS, result.speedup(), (double) (result.faults().reads() + result.faults().writes()),
          result.faults().meanNs() / NS_PER_US));
      shares.add(shares(program, result));
    }
    findings.table(new Table("runs on " + HOSTS + " hosts", List.of("application", "size", "threads", "sequential ms", "run ms", "speed-up", "faults",
        "mean fault us"), lines));
    findings.table(new Table("where the time of a thread goes, in percent; mean of all threads", List.of("application", "threads", "computing", "interrupted",
        "read faults", "write faults", "locks", "imbalance", "barriers"), shares));
    chart(findings, results, 1);
    chart(findings, results, 2);
    return findings.note("a run whose result is not that of the sequential program ends the experiment")
        .note("costs of computing and sizes were written down before the first run;"
            + " docs/internals/shared-memory-fidelity.md says what was mended since, and on what it rests;"
            + " nothing was fitted to this table");
  }

  private static List<Object> shares(Program program, SharedRun.Result result) {
    Breakdown times = result.breakdown();
    List<Object> line = new ArrayList<>(List.of(program.title(), (double) result.setup().threads()));
    for (double ns : new double[] {times.computingNs(), times.interruptedNs(), times.readFaultsNs(), times.writeFaultsNs(), times.locksNs(),
        times.imbalanceNs(), times.barriersNs()}) {
      line.add(Gains.number(PERCENT * ns / times.allNs()));
    }
    return line;
  }

  private void chart(Findings findings, List<SharedRun.Result> results, int threads) {
    double[] speedups = results.stream().filter(result -> result.setup().threads() == threads).mapToDouble(SharedRun.Result::speedup).toArray();
    List<PaperPoint> paper = new ArrayList<>();
    for (int i = 0; i < programs.size(); i++) {
      paper.add(PaperPoint.of(i, row(programs.get(i), threads)));
    }
    findings.chart(Chart.bars("dsm-t2-threads-" + threads, "Seed 000 Table 2: speed-up on 8 hosts, threads on each: " + threads, "speed-up",
        programs.stream().map(Program::title).toList(), List.of(Series.bars("ours", false, speedups))), paper.toArray(PaperPoint[]::new));
  }
}
