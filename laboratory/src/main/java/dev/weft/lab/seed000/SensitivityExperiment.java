package dev.weft.lab.seed000;

import dev.weft.lab.repro.Comparison;
import dev.weft.lab.repro.Experiment;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.Table;
import dev.weft.lab.seed000.shared.Program;
import dev.weft.lab.seed000.shared.Runs;
import dev.weft.lab.seed000.shared.Setup;
import dev.weft.lab.seed000.shared.SharedRun;
import java.util.ArrayList;
import java.util.List;

/** How much the speed-ups of Table 2 hang on what computing is said to cost, and on the size of the input. It answers no row. */
public final class SensitivityExperiment implements Experiment {
  private static final double[] FACTORS = {0.5, 1, 2};
  private static final double NS_PER_MS = 1e6;
  /** Smaller and larger ones than those of the table, which is the middle one. */
  private static final List<Program> SIZES = List.of(new Program("SOR", "sor", "small"), new Program("SOR", "sor", "published"),
      new Program("LU", "lu", "published"), new Program("IS", "is", "S"), new Program("IS", "is", "A"), new Program("TSP", "tsp", "gr17"),
      new Program("Water", "water", "small"), new Program("Nbody", "nbody", "small"), new Program("NbodyW", "nbodyw", "small"),
      new Program("Barnes", "barnes", "small"));

  private final List<Program> programs;
  private final List<Program> sizes;

  public SensitivityExperiment() {
    this(Program.TABLE, SIZES);
  }

  /** Of others, for tests. */
  SensitivityExperiment(List<Program> programs, List<Program> sizes) {
    this.programs = List.copyOf(programs);
    this.sizes = List.copyOf(sizes);
  }

  @Override
  public String name() {
    return "dsm-sensitivity";
  }

  @Override
  public String title() {
    return "seed 000 Table 2: how speed-ups hang on the cost of computing, and on sizes; 8 hosts, 1 thread on each";
  }

  @Override
  public String defaultProfile() {
    return "ib-2003-p3";
  }

  @Override
  public List<String> rows() {
    return List.of();
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
    List<List<Object>> lines = new ArrayList<>();
    for (int i = 0; i < programs.size(); i++) {
      List<Object> line = new ArrayList<>(List.of(programs.get(i).title()));
      results.subList(i * FACTORS.length, (i + 1) * FACTORS.length).forEach(result -> line.add(Comparison.number(result.speedup())));
      lines.add(line);
    }
    List<SharedRun.Result> ofSizes = runs.of(sizes.stream().map(program -> program.on(SpeedupExperiment.HOSTS, 1)).toList());
    List<List<Object>> sizeLines = new ArrayList<>();
    ofSizes.forEach(result -> sizeLines.add(List.of(result.setup().application(), result.setup().size(),
        runs.sequentialNs(result.setup()) / NS_PER_MS, result.speedup())));
    return new Findings()
        .table(new Table("speed-up where computing takes so many times as long as is said", List.of("application", "0.5", "1", "2"), lines))
        .table(new Table("speed-up at other sizes", List.of("application", "size", "sequential ms", "speed-up"), sizeLines));
  }
}
