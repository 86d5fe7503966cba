package dev.weft.lab.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.lab.CommandRun;
import dev.weft.lab.kit.PlantedBug;
import dev.weft.lab.kit.Workload;
import dev.weft.lab.kit.Workloads;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("jvms")
@Timeout(180)
class SimCommandTest {
  /** Processor time after which a JVM is at its seeds: starting takes a second or two. */
  private static final Duration STARTED = Duration.ofSeconds(15);

  @Test
  void shouldReportARangeOfSeedsAsJson() throws IOException {
    CommandRun run = CommandRun.of("sim", "--seeds", "1..3", "--dup", "0.1", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(3, json.get("seeds").asInt());
    assertEquals(0, json.get("failed").asInt());
    assertEquals(0.1, json.get("options").get("duplication").asDouble());
    assertTrue(json.get("links").get("duplicated").asLong() > 0, run.out());
    assertTrue(json.get("marks").get("duplicate request").asLong() > 0, run.out());
  }

  @Test
  void shouldFindAPlantedBugAndReplayItWithTheBug() {
    CommandRun run = CommandRun.of("sim", "--workload", "rc", "--plant", "RcResponder.onRequest.acceptGap", "--chart", "5");
    assertEquals(ExitCode.FAILURE, run.exitCode(), run.err());
    assertTrue(run.out().contains("seed 1 failed"), run.out());
    assertTrue(run.err().contains("planted: a gap is accepted"), run.err());
    assertTrue(run.err().strip().endsWith("--plant RcResponder.onRequest.acceptGap"), run.err());
  }

  @Test
  void shouldSayWhereTheNamesOfPlantedBugsAre() {
    CommandRun run = CommandRun.of("sim", "--workload", "rc", "--plant", "nothing");
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("no planted bug 'nothing'; see ./weft sim --list --workload rc"), run.err());
    CommandRun list = CommandRun.of("sim", "--workload", "rc", "--list");
    assertTrue(list.out().contains("RcResponder.onRequest.acceptGap: a gap is accepted"), list.out());
  }

  @Test
  void shouldNameEachBugThatCanBePlantedOnce() {
    for (Workload<?> workload : Workloads.all()) {
      List<String> names = Planting.bugs(workload).stream().map(PlantedBug::name).toList();
      assertEquals(names.stream().distinct().toList(), names, workload.name());
    }
  }

  @Test
  void shouldDrawASeedThatPasses() {
    CommandRun run = CommandRun.of("sim", "--workload", "rc", "--seeds", "3..3", "--draw", "--chart", "6");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("seed 3 passed: ") && run.out().contains("from -> to"), run.out());
    CommandRun many = CommandRun.of("sim", "--workload", "rc", "--seeds", "1..4", "--draw");
    assertEquals(ExitCode.USAGE, many.exitCode());
    assertTrue(many.err().contains("--draw takes at most 3 seeds"), many.err());
  }

  @Test
  void shouldGiveTheSameFiguresForTheSameSeedAgain() {
    assertEquals(figures(), figures());
  }

  private static String figures() {
    CommandRun run = CommandRun.of("sim", "--seeds", "7");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    return run.out().replaceAll(" in [0-9.]+ s\n", "\n");
  }

  @Test
  void shouldRunAPagerClusterAndSayWhichMarksWereNotHit() throws IOException {
    CommandRun run = CommandRun.of("sim", "--seeds", "1..4", "--faults", "loss,duplication", "--ops", "40", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(4, json.get("seeds").asInt());
    assertEquals(0, json.get("failed").asInt());
    assertEquals("loss,duplication", json.get("options").get("faults").asText());
    assertTrue(json.get("operations").get("WRITE").asLong() > 0, run.out());
    assertTrue(json.get("marksNeverHit").toString().contains("CLIENT_TOLD_OF_LOSS"), run.out());
  }

  @Test
  void shouldSayWhichClassesOfFaultsThereAre() {
    CommandRun run = CommandRun.of("sim", "--faults", "loss,rain");
    assertEquals(ExitCode.USAGE, run.exitCode());
    assertTrue(run.err().contains("there is no class of faults 'rain'") && run.err().contains("server-crash"), run.err());
  }

  @Test
  void shouldTakeTheOptionsThatAReplayCommandNames() {
    CommandRun run = CommandRun.of("sim", "--seeds", "5..5", "--loss", "0.01", "--duplication", "0.2", "--reordering", "0.2",
        "--corruption", "0.01", "--partitions", "false");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("seeds 5..5: 1 runs") && run.out().contains(" 0 cut off"), run.out());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--faults loss", "--ops 40", "--servers 1", "--clients 1"})
  void shouldRefuseOptionsThatTheTransportDoesNotHave(String option) {
    for (String transport : List.of("--workload rc", "--loss 0.01")) {
      CommandRun run = CommandRun.of(("sim --seeds 1 " + transport + " " + option).split(" "));
      assertEquals(ExitCode.USAGE, run.exitCode());
      assertTrue(run.err().contains(option.split(" ")[0] + " has no effect with the workload rc"), run.err());
    }
  }

  @Test
  void shouldListWhatTheWorkloadsDo() {
    CommandRun run = CommandRun.of("sim", "--list");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    for (String part : List.of("pager: ", "dsm: ", "dsm-litmus: ", "pvfs-appends: ", "rc: ", "--loss P", "SERVER_CRASH", "SectorHistory: ",
        "a gap is accepted within 10 seeds")) {
      assertTrue(run.out().contains(part), run.out());
    }
    assertTrue(CommandRun.of("sim", "--list", "--seeds", "1").err().contains("--seeds has no effect with --list"));
    assertTrue(CommandRun.of("sim", "--workload", "mpi").err()
        .contains("there is no workload 'mpi'; choose one of pager, dsm, dsm-litmus, rc, pvfs, pvfs-appends"));
  }

  @Test
  void shouldSayWhatAValueMustBe() {
    assertTrue(CommandRun.of("sim", "--ops", "many").err().contains("--ops is 'many', must be a whole number"));
    assertTrue(CommandRun.of("sim", "--loss", "0.2").err().contains("loss is 0.2, must be from 0 to 0.03"));
    CommandRun both = CommandRun.of("sim", "--workload", "pager", "--loss", "0.01");
    assertEquals(ExitCode.USAGE, both.exitCode());
    assertTrue(both.err().contains("--loss has no effect with the workload pager; it belongs to --workload rc"), both.err());
  }

  @Test
  void shouldGoOnForAWhileWithAnyWorkload() {
    CommandRun run = CommandRun.of("sim", "--workload", "rc", "--minutes", "0.02", "--chart", "5");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("seeds 1.."), run.out());
  }

  /** A real process is asked to end as Ctrl-C does; it sums up what it has run. */
  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM"})
  @Timeout(240)
  void shouldSumUpWhenItIsInterrupted(String signal) throws Exception {
    Process process = new ProcessBuilder("env", "--default-signal=INT", ProcessHandle.current().info().command().orElseThrow(),
        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-Xmx192m", "-cp",
        System.getProperty("java.class.path"), CommandRun.class.getName(), "sim", "--workload", "rc", "--seeds", "1..1000000000")
        .redirectErrorStream(true).start();
    try {
      while (process.info().totalCpuDuration().orElseThrow().compareTo(STARTED) < 0) {
        Thread.sleep(50);
      }
      assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor());
      String said = new String(process.getInputStream().readAllBytes());
      assertTrue(process.waitFor(90, TimeUnit.SECONDS));
      assertTrue(said.contains("weft: interrupted; the summary covers the seeds that were run"), said);
      assertTrue(said.contains("seeds 1..") && said.contains(" runs, ") && said.contains(" 0 failed; ") && said.contains("recovery: "), said);
      assertEquals(signal.equals("INT") ? 130 : 143, process.exitValue());
    } finally {
      process.destroyForcibly();
    }
  }
}
