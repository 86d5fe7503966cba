package dev.weft.lab.repro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.weft.lab.CommandRun;
import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import dev.weft.lab.repro.Comparison.Verdict;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Nothing counts as agreement that could not have come out otherwise. */
@Tag("slow")
@Timeout(240)
class ClassificationTest {
  /** A line of the audit in docs/guides/papers.md: rows in code quotes, then the class. */
  private static final Pattern AUDITED = Pattern.compile("^\\| (`[^|]+`) \\| (predicted|calibrated|derived) \\|", Pattern.MULTILINE);
  private static final Derivation FROM_ITSELF = Derivation.of("it is what was put in", "a.b");

  private static Comparison compare(Figure.Use use, double ours, Derivation derivation, String choice) {
    return new Comparison(new Figure("a.b", "001", "1", "s", "c", "m", "10", "s", use), Measured.value(ours), Tolerance.relative(0.2),
        derivation, choice);
  }

  /** Answers two rows of figures.csv with the paper's own numbers, one as derived. */
  private static final class Echo implements Experiment {
    private final boolean isDerived;

    Echo(boolean isDerived) {
      this.isDerived = isDerived;
    }

    @Override
    public String name() {
      return "echo";
    }

    @Override
    public String title() {
      return "echo";
    }

    @Override
    public String defaultProfile() {
      return "modern";
    }

    @Override
    public List<String> rows() {
      return List.of("hpbd.qsort.hpbd", "hpbd.testswap.hpbd");
    }

    @Override
    public Map<String, Derivation> derived() {
      return isDerived ? Map.of("hpbd.qsort.hpbd", Derivation.of("it is the paper's", "hpbd.qsort.hpbd")) : Map.of();
    }

    @Override
    public Map<String, String> choices() {
      return Map.of("hpbd.testswap.hpbd", "this <choice>");
    }

    @Override
    public Findings run(Setting setting) {
      return new Findings().row("hpbd.qsort.hpbd", Measured.value(138)).row("hpbd.testswap.hpbd", Measured.value(8.4));
    }
  }

  private static List<Run> echo(boolean isDerived) {
    return List.of(Run.of(new Echo(isDerived), null, 1, Size.DEFAULT, Figures.load()));
  }

  @Test
  void shouldGiveARowThatFollowsFromInputsNoVerdictOfAgreement() {
    assertEquals(Verdict.DERIVED, compare(Figure.Use.PREDICT, 10, FROM_ITSELF, "").verdict());
    assertEquals(Verdict.DERIVED, compare(Figure.Use.CALIBRATE, 10, FROM_ITSELF, "").verdict());
    assertEquals("follows from inputs", compare(Figure.Use.PREDICT, 10, FROM_ITSELF, "").verdictText());
    assertEquals("derived", compare(Figure.Use.PREDICT, 10, FROM_ITSELF, "").useText());
    assertEquals(Verdict.AGREES, compare(Figure.Use.PREDICT, 10, null, "").verdict());
    assertThrows(IllegalArgumentException.class, () -> Derivation.of("from nothing"));
    assertThrows(IllegalArgumentException.class, () -> Derivation.of(" ", "a.b"));
  }

  @Test
  void shouldCountARowThatFollowsFromInputsApart() {
    Summary counted = Summary.of(echo(false), Figures.load());
    Summary apart = Summary.of(echo(true), Figures.load());
    assertEquals(2, counted.within());
    assertEquals(1, apart.within());
    assertEquals(1, apart.derivedPredicted());
    assertEquals(1, apart.byChoice());
    assertTrue(apart.predictedText().startsWith("predicted: 1 within tolerance (1 of them by a choice that the report names), 0 differ, "),
        apart.predictedText());
    assertEquals(counted.notModelled(), apart.notModelled());
    assertEquals(counted.notRun(), apart.notRun());
  }

  @Test
  void shouldShowDerivedRowsAndChoicesApartInTextAndPage() {
    String text = TextReport.of(echo(true).getFirst());
    assertTrue(text.lines().noneMatch(line -> line.contains("hpbd.qsort.hpbd") && line.contains("agrees")), text);
    assertTrue(text.contains("hpbd.qsort.hpbd: it is the paper's"), text);
    assertTrue(text.contains("choice: hpbd.testswap.hpbd agrees with this <choice>"), text);
    String page = HtmlReport.page(echo(true), Figures.load());
    assertTrue(page.contains("<td>hpbd.qsort.hpbd: it is the paper&apos;s") || page.contains("<td>hpbd.qsort.hpbd: it is the paper's"), page);
    assertTrue(page.contains("hpbd.testswap.hpbd agrees with this &lt;choice"), page);
    assertTrue(page.contains("predicted: 1 within tolerance"), page);
  }

  @Test
  void shouldStillFailStrictlyWhereAnEchoIsNotTheRow() {
    Run run = Run.of(new Echo(true), null, 1, Size.DEFAULT, Figures.load());
    assertFalse(run.isOff());
    Comparison off = new Comparison(run.comparisons().getFirst().row(), Measured.value(300), Tolerance.relative(0.2), FROM_ITSELF, "");
    assertTrue(new Run(run.experiment(), "modern", 1, List.of(off), List.of(), List.of(), List.of(), List.of()).isOff());
  }

  @Test
  void shouldDeriveFromRowsAndSettingsThatExist() {
    Figures figures = Figures.load();
    for (Experiment experiment : Experiments.all()) {
      assertTrue(experiment.rows().containsAll(experiment.derived().keySet()), experiment.name());
      assertTrue(experiment.rows().containsAll(experiment.choices().keySet()), experiment.name());
      for (Map.Entry<String, Derivation> derived : experiment.derived().entrySet()) {
        assertFalse(experiment.choices().containsKey(derived.getKey()), derived.getKey() + " is derived, whatever is chosen");
        for (String input : derived.getValue().inputs()) {
          boolean isRow = figures.find(input).isPresent();
          boolean isSetting = isIn("profiles/", experiment, input) || isIn("tcp/", experiment, input) || isIn("swap/", experiment, input);
          assertTrue(isRow || isSetting || input.equals(Derivation.MODEL), derived.getKey() + " follows from '" + input + "', which is neither"
              + " a row nor a setting of profile " + experiment.defaultProfile());
        }
      }
    }
  }

  private static boolean isIn(String directory, Experiment experiment, String path) {
    String resource = directory + experiment.defaultProfile() + ".conf";
    return ConfigFactory.parseResources(ClassificationTest.class.getClassLoader(), resource).hasPath(path);
  }

  @Test
  void shouldDeriveWhatWasOnceCountedAsPredicted() {
    Set<String> derived = new TreeSet<>();
    Experiments.all().forEach(experiment -> derived.addAll(experiment.derived().keySet()));
    assertTrue(derived.containsAll(Set.of("dsm.isr.saving", "netvm.overhead", "netvm.pin", "netvm.waitqueue", "netvm.semaphore",
        "netvm.write.share", "clan.bw.half", "clan.server.endpoints", "hpbd.testswap.request")), derived.toString());
    assertTrue(derived.containsAll(Set.of("pvfs.fs.ext3.write", "pvfs.fs.ext3.read", "pvfs.fs.ramfs.read", "pvfs.raw.ibnice.lat",
        "pvfs.raw.ibnice.bw", "pvfs.reg.fmr", "pvfs.reg.fmd", "hpbd.fault.user", "hpbd.testswap.local", "hpbd.qsort.local")), derived.toString());
    assertTrue(Experiments.named("clan-server").getFirst().choices().get("clan.server.rate").contains("weft.tripwire.fifo-batch = 1"));
  }

  @Test
  void shouldSayTheSameOfEachRowInTheAuditAsInTheCode() throws IOException {
    Figures figures = Figures.load();
    Map<String, String> code = new TreeMap<>();
    for (Experiment experiment : Experiments.all()) {
      for (String row : experiment.rows()) {
        String use = figures.find(row).orElseThrow().use() == Figure.Use.CALIBRATE ? "calibrated" : "predicted";
        String kind = experiment.derived().containsKey(row) ? "derived" : use;
        assertTrue(kind.equals(code.getOrDefault(row, kind)), row + " is derived in one experiment only");
        code.put(row, kind);
      }
    }
    Map<String, String> audit = new TreeMap<>();
    Matcher line = AUDITED.matcher(Files.readString(Path.of(System.getProperty("weft.root", "..")).resolve("docs/guides/papers.md")));
    while (line.find()) {
      for (String row : line.group(1).replace("`", "").split(", ")) {
        assertEquals(null, audit.put(row, line.group(2)), row + " is audited twice");
      }
    }
    assertEquals(code, audit);
  }

  @Test
  void shouldCountEachPredictedRowInOnePlace(@TempDir Path dir) throws IOException {
    CommandRun run = CommandRun.of("repro", "netvm", "local-files", "--json", "--plots", dir.toString());
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    JsonNode report = new ObjectMapper().readTree(run.out());
    JsonNode predicted = report.at("/summary/predicted");
    long sum = report.at("/summary/derived/predicted").asLong();
    for (String name : List.of("withinTolerance", "differ", "notModelled", "notRun")) {
      sum += predicted.get(name).asLong();
    }
    assertEquals(Figures.load().all().stream().filter(row -> row.use() == Figure.Use.PREDICT).count(), sum);
    assertEquals(1, predicted.get("withinTolerance").asLong(), "netvm.write.bw alone");
    assertEquals(5, report.at("/summary/derived/predicted").asLong());
    assertEquals(3, report.at("/summary/derived/calibrated").asLong());
    assertTrue(Files.readString(dir.resolve("report.html")).contains("predicted: 1 within tolerance, 0 differ"));
    List<String> rows = new ArrayList<>();
    report.get("experiments").forEach(e -> e.get("rows").forEach(row -> {
      if (row.get("verdict").asText().equals("follows from inputs")) {
        assertTrue(row.get("followsFrom").size() > 0, row.toString());
        rows.add(row.get("row").asText());
      }
    }));
    assertEquals(8, rows.size(), rows.toString());
  }

  /** What is called derived is the arithmetic that it is said to be. */
  @Test
  void shouldGetDerivedRowsFromTheirInputsByArithmetic() throws IOException {
    JsonNode report = new ObjectMapper().readTree(CommandRun.of("repro", "netvm", "contexts", "--json").out());
    Map<String, Double> ours = new TreeMap<>();
    report.get("experiments").forEach(e -> e.get("rows").forEach(row -> ours.put(row.get("row").asText(), row.get("ours").asDouble())));
    double link = ConfigFactory.parseResources(ClassificationTest.class.getClassLoader(), "profiles/lanai9.conf")
        .getDouble("link.bits-per-second");
    assertEquals(ours.get("netvm.write.bw") * 8e6 / link * 100, ours.get("netvm.write.share"), 1e-6);
    assertEquals(100 * (1 - ours.get("dsm.t1.isr") / ours.get("dsm.t1.process")), ours.get("dsm.isr.saving"), 1e-6);
    assertEquals(0.2 / (ours.get("netvm.write.latency") - 0.2) * 100, ours.get("netvm.overhead"), 1e-6);
  }
}
