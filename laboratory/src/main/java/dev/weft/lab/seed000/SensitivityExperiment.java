package dev.weft.lab.seed000;

import dev.weft.lab.repro.Comparison;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.NamedExperiment;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.seed000.shared.Program;
import dev.weft.lab.seed000.shared.Runs;
import dev.weft.lab.seed000.shared.Setup;
import dev.weft.lab.seed000.shared.Setup.Kind;
import dev.weft.lab.seed000.shared.SharedRun;
import java.util.ArrayList;
import java.util.List;

/** How much the speed-ups of Table 2 hang on what computing is said to cost, and on the size of the input. It answers no row. */
public final class SensitivityExperiment extends NamedExperiment {
  private static final double[] FACTORS = {0.5, 1, 2};
  private static final double NS_PER_MS = 1e6;
  /** Smaller and larger ones than those of the table, which is the middle one. */
  private static final List<Program> SIZES = List.of(new Program("SOR", "sor", "small"), new Program("SOR", "sor", "published"),
      new Program("LU", "lu", "published"), new Program("IS", "is", "S"), new Program("IS", "is", "A"), new Program("TSP", "tsp", "gr17"),
      new Program("Water", "water", "small"), new Program("Nbody", "nbody", "small"), new Program("NbodyW", "nbodyw", "small"),
      new Program("Barnes", "barnes", "small"));

  /** Other sharing units than those of the table: a molecule, a body or a cell, or four times as many bodies. */
  private static final List<Program> UNITS = List.of(new Program("Water", "water", "published-1"), new Program("Nbody", "nbody", "medium-1"),
      new Program("NbodyW", "nbodyw", "medium-128"), new Program("Barnes", "barnes", "published-1"));

  private final List<Program> programs;
  private final List<Program> sizes;
  private final List<Program> units;

  public SensitivityExperiment() {
    this(Program.TABLE, SIZES, UNITS);
  }

  /** Of others, for tests. */
  SensitivityExperiment(List<Program> programs, List<Program> sizes, List<Program> units) {
    super("dsm-sensitivity", "seed 000 Table 2: how speed-ups hang on the cost of computing, and on sizes; 8 hosts, 1 thread on each", "ib-2003-p3",
        List.of());
    this.programs = List.copyOf(programs);
    this.sizes = List.copyOf(sizes);
    this.units = List.copyOf(units);
  }

  @Override
  public Findings run(Setting setting) {
    Runs runs = new Runs(setting.profile(), setting.seed());
    List<Setup> setups = new ArrayList<>();
    for (Program program : programs) {
      for (double factor : FACTORS) {
        setups.add(program.on(SpeedupExperiment.HOSTS, 1).computing(factor));
      }
    }
    List<SharedRun.Result> results = runs.of(setups);
    List<SharedRun.Result> centralized = runs.of(programs.stream().map(program -> program.on(SpeedupExperiment.HOSTS, 1).with(Kind.CENTRALIZED)).toList());
    List<List<Object>> lines = new ArrayList<>();
    for (int i = 0; i < programs.size(); i++) {
      List<Object> line = new ArrayList<>(List.of(programs.get(i).title()));
      results.subList(i * FACTORS.length, (i + 1) * FACTORS.length).forEach(result -> line.add(Comparison.number(result.speedup())));
      line.add(Comparison.number(centralized.get(i).speedup()));
      lines.add(line);
    }
    return new Findings()
        .table(new Table("speed-up where computing takes so many times as long as is said, and where the first host is the home of everything",
            List.of("application", "0.5", "1", "2", "one home"), lines))
        .table(others("speed-up at other sizes", runs, sizes))
        .table(others("speed-up with other sharing units, named by how many molecules or bodies share one", runs, units));
  }

  private static Table others(String title, Runs runs, List<Program> programs) {
    List<List<Object>> lines = new ArrayList<>();
    runs.of(programs.stream().map(program -> program.on(SpeedupExperiment.HOSTS, 1)).toList()).forEach(result -> lines.add(
        List.of(result.setup().application(), result.setup().size(), runs.sequentialNs(result.setup()) / NS_PER_MS, result.speedup())));
    return new Table(title, List.of("application", "size", "sequential ms", "speed-up"), lines);
  }
}
