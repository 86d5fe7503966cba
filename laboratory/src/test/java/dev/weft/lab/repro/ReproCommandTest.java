package dev.weft.lab.repro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.CommandRun;
import dev.weft.lab.figures.Figure;
import dev.weft.lab.figures.Figures;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jvms")
@Timeout(240)
class ReproCommandTest {
  @Test
  void shouldListEveryRowWithItsExperimentOrNone() {
    CommandRun run = CommandRun.of("repro", "list");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    for (Figure row : Figures.load().all()) {
      assertTrue(run.out().lines().anyMatch(line -> line.strip().startsWith(row.id() + " ")), row.id());
    }
    assertTrue(run.out().lines().anyMatch(line -> line.contains("hpbd.qsort.disk") && line.endsWith("quicksort")), run.out());
    assertTrue(run.out().lines().anyMatch(line -> line.contains("netvm.semaphore") && line.endsWith("netvm")), run.out());
    assertTrue(run.out().lines().anyMatch(line -> line.contains("dsm.isr.app") && line.endsWith("dsm-user-level")), run.out());
    assertTrue(run.out().lines().anyMatch(line -> line.contains("dsm.t2.sor.via1") && line.contains("for reference")), run.out());
  }

  @Test
  void shouldNameRowsThatExistAndEachExperimentOnce() {
    Figures figures = Figures.load();
    Set<String> names = new HashSet<>();
    for (Experiment experiment : Experiments.all()) {
      assertTrue(names.add(experiment.name()), experiment.name());
      experiment.rows().forEach(id -> assertTrue(figures.find(id).isPresent(), id));
    }
  }

  @Test
  void shouldPrintTheSameReportAndPlotsTwice(@TempDir Path first, @TempDir Path second) throws IOException {
    CommandRun one = CommandRun.of("repro", "primitives", "--seed", "3", "--json", "--plots", first.toString());
    CommandRun two = CommandRun.of("repro", "primitives", "--seed", "3", "--json", "--plots", second.toString());
    assertEquals(ExitCode.OK, one.exitCode(), one.err());
    assertEquals(one.out(), two.out());
    List<Path> files;
    try (Stream<Path> listed = Files.list(first)) {
      files = listed.sorted().toList();
    }
    assertEquals(List.of("hpbd-fig2-latency.png", "hpbd-fig2-latency.svg", "hpbd-fig4-registration.png", "hpbd-fig4-registration.svg",
        "report.html"), files.stream().map(file -> file.getFileName().toString()).toList());
    for (Path file : files) {
      assertEquals(-1, Files.mismatch(file, second.resolve(file.getFileName())), file.toString());
    }
    String page = Files.readString(first.resolve("report.html"));
    assertTrue(page.contains("hpbd-fig2-latency.svg"));
    assertTrue(page.contains("not yet: the paper does not say what a compilation asks of NFS (seed 003)") && !page.contains("<td>hpbd.qsort.disk"),
        "rows without an experiment");
  }

  @ParameterizedTest
  @ValueSource(strings = {"testswap", "contexts", "registration", "clan"})
  void shouldPrintTheSameReportInAnotherJvm(String experiment) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(flag -> flag.startsWith("--")).forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:+UseG1GC", "-cp", System.getProperty("java.class.path"), CommandRun.class.getName(),
        "repro", experiment, "--seed", "5", "--json"));
    Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String theirs;
    try (InputStream out = process.getInputStream()) {
      theirs = new String(out.readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      process.destroy();
    }
    assertEquals(CommandRun.of("repro", experiment, "--seed", "5", "--json").out(), theirs);
    assertTrue(theirs.contains("\"verdict\":"), theirs);
  }

  @Test
  void shouldMeetTheCalibratedRowsOfTheLink() throws IOException {
    CommandRun run = CommandRun.of("repro", "primitives", "--json", "--strict");
    assertEquals(ExitCode.OK, run.exitCode(), run.out());
    JsonNode rows = new ObjectMapper().readTree(run.out()).at("/experiments/0/rows");
    assertEquals(2, rows.size());
    for (JsonNode row : rows) {
      boolean isEcho = row.get("row").asText().equals("hpbd.fault.user");
      assertEquals(isEcho ? "follows from inputs" : "agrees", row.get("verdict").asText(), row.toString());
      assertEquals(isEcho ? "derived" : "calibrated", row.get("kind").asText());
    }
  }

  @Test
  void shouldMeetTheTableOfVerbs() throws IOException {
    CommandRun run = CommandRun.of("repro", "verbs", "--json", "--strict");
    assertEquals(ExitCode.OK, run.exitCode(), run.out());
    assertEquals(8, new ObjectMapper().readTree(run.out()).at("/experiments/0/rows").size());
    assertEquals(ExitCode.OK, CommandRun.of("repro", "local-files", "--strict").exitCode());
  }

  @Test
  void shouldPutReceiveContextsInOrderAndShowTheirDistribution(@TempDir Path dir) throws IOException {
    CommandRun run = CommandRun.of("repro", "contexts", "--json", "--plots", dir.toString());
    JsonNode report = new ObjectMapper().readTree(run.out()).at("/experiments/0");
    for (JsonNode row : report.get("rows")) {
      String expected = switch (row.get("row").asText()) {
        case "dsm.taskqueue.tail" -> "differs";
        case "dsm.isr.saving" -> "follows from inputs";
        default -> "agrees";
      };
      assertEquals(expected, row.get("verdict").asText(), row.toString());
    }
    report.get("checks").forEach(check -> assertEquals("holds", check.get("verdict").asText(), check.toString()));
    assertEquals(6, report.get("checks").size());
    assertEquals(16, report.at("/tables/0/lines").size(), "four contexts under four loads");
    assertTrue(Files.size(dir.resolve("dsm-t1-distribution-idle.svg")) > 0);
    assertTrue(Files.readString(dir.resolve("report.html")).contains("class=\"holds\""));
  }

  @Test
  void shouldKeepRealTimeOutOfAllAndTakeNoProfileThere() {
    assertTrue(Experiments.all().stream().anyMatch(Experiment::isRealTime));
    CommandRun run = CommandRun.of("repro", "contexts-real", "--profile", "ib-2003-p3");
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().contains("takes no --profile"), run.err());
    assertTrue(ReproCommand.inVirtualTime().noneMatch(Experiment::isRealTime));
  }

  @Test
  void shouldSayWhatIsWrongWithTheProfileAndTheDirectory(@TempDir Path dir) throws IOException {
    CommandRun unknown = CommandRun.of("repro", "primitives", "--profile", "abacus");
    assertEquals(ExitCode.FAILURE, unknown.exitCode());
    assertEquals(1, unknown.err().lines().count(), unknown.err());
    assertTrue(unknown.err().contains("abacus") && unknown.err().contains("ib-2005-xeon"), unknown.err());
    Path file = Files.createFile(dir.resolve("file"));
    CommandRun blocked = CommandRun.of("repro", "primitives", "--plots", file.toString());
    assertEquals(ExitCode.FAILURE, blocked.exitCode());
    assertTrue(blocked.err().contains("cannot write plots to " + file), blocked.err());
  }

  @Test
  void shouldSayWhichExperimentsThereAre() {
    CommandRun run = CommandRun.of("repro", "testswop");
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("'testswop'") && run.err().contains("testswap") && run.err().contains("'all'"), run.err());
    assertEquals(ExitCode.USAGE, CommandRun.of("repro", "list", "testswap").exitCode());
    assertTrue(CommandRun.of("repro", "list", "--seed", "1").err().contains("--seed has no effect with list"));
    assertEquals(ExitCode.USAGE, CommandRun.of("repro").exitCode());
    assertFalse(CommandRun.of("repro", "--help").out().isEmpty());
  }
}
