package dev.weft.dsm.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.ChildProcesses;
import dev.weft.CommandRun;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("slow")
@Tag("jvms")
@Timeout(600)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("JVMs with nodes of shared memory, of which one test kills all")
@ResourceLock(value = Resources.SYSTEM_PROPERTIES, mode = ResourceAccessMode.READ)
class DsmCommandTest {
  private static List<JsonNode> lines(CommandRun run) {
    return run.out().lines().map(line -> {
      try {
        return new ObjectMapper().readTree(line);
      } catch (JsonProcessingException e) {
        throw new IllegalStateException(run.out() + run.err(), e);
      }
    }).toList();
  }

  @Test
  void shouldListWhatThereIs() {
    CommandRun run = CommandRun.of("dsm", "list");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals(8, run.out().lines().count(), run.out());
  }

  @ParameterizedTest
  @CsvSource({"sor,3,1", "lu,2,2", "is,2,1", "tsp,2,2", "water,3,1", "nbody,2,1", "nbodyw,2,1", "barnes,4,1"})
  void shouldRunAndVerify(String application, String nodes, String threads) {
    CommandRun run = CommandRun.of("dsm", "run", application, "--nodes", nodes, "--threads", threads, "--verify", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    assertTrue(lines(run).getFirst().get("verified").asBoolean(), run.out());
    assertTrue(lines(run).getFirst().get("checks").has("as sequential"), run.out());
  }

  @ParameterizedTest
  @CsvSource({"sor,3,3,3", "is,2,2,1", "tsp,2,2,2"})
  void shouldRunInSeveralJvms(String application, String nodes, String jvms, int runs) {
    CommandRun run = CommandRun.of("dsm", "run", application, "--nodes", nodes, "--jvms", jvms, "--verify", "--json", "--repeat", "" + runs);
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    assertTrue(lines(run).getFirst().get("verified").asBoolean(), run.out());
    assertEquals(runs, lines(run).getFirst().get("runs").size(), run.out());
    assertEquals(runs, lines(run).getFirst().get("sequentialRuns").size(), run.out());
  }

  @ParameterizedTest
  @CsvSource({"task-queue", "process", "polling"})
  void shouldRunInEachContext(String context) {
    CommandRun run = CommandRun.of("dsm", "run", "sor", "--context", context, "--verify");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    assertTrue(run.out().contains("verified, "), run.out());
  }

  @Test
  void shouldRecordAHistoryBetweenJvmsThatItCanCheck(@TempDir Path dir) throws IOException {
    Path file = dir.resolve("history");
    CommandRun recorded = CommandRun.of("dsm", "litmus", "--record", file.toString(), "--nodes", "3", "--jvms", "2", "--operations", "100");
    assertEquals(ExitCode.OK, recorded.exitCode(), recorded.err() + recorded.out());
    assertTrue(recorded.out().startsWith("300 operations on 16 words: HOLDS"), recorded.out());
    CommandRun checked = CommandRun.of("dsm", "litmus", "--check", file.toString());
    assertEquals(recorded.out(), checked.out());
    String[] read = Files.readString(file).lines().filter(line -> line.contains(" read ")).findFirst().orElseThrow().split(" ");
    read[3] = "123456789"; // Nobody writes that.
    Files.writeString(file, Files.readString(file).replaceFirst("(?m)^" + read[0] + " " + read[1] + " read .* " + read[4] + " " + read[5] + "$",
        String.join(" ", read)));
    CommandRun wrong = CommandRun.of("dsm", "litmus", "--check", file.toString());
    assertEquals(ExitCode.FAILURE, wrong.exitCode(), wrong.out());
    assertTrue(wrong.out().contains("VIOLATED"), wrong.out());
    Files.writeString(file, "weft-history 1\n0 3 jump 7 1 2\n");
    assertTrue(CommandRun.of("dsm", "litmus", "--check", file.toString()).err().contains("line 2"));
    assertTrue(CommandRun.of("dsm", "litmus", "SB", "--check", file.toString()).err().contains("--record and --check go without shapes"));
  }

  @Test
  void shouldSeeNothingThatSequentialConsistencyForbidsBetweenJvms() {
    CommandRun run = CommandRun.of("dsm", "litmus", "SB", "MP", "IRIW", "2+2W", "CoRR", "--nodes", "4", "--jvms", "2", "--rounds", "640", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    assertEquals(4 * 3 + 1, lines(run).size(), run.out());
    for (JsonNode line : lines(run)) {
      assertTrue(line.get("holds").asBoolean(), line.toString());
      long played = 0;
      for (JsonNode count : line.get("seen")) {
        played += count.asLong();
      }
      assertEquals(640, played, line.toString());
    }
  }

  @Test
  void shouldExcludeWithReadsAndWritesAloneBetweenJvms() {
    exclude(100);
  }

  @Test
  @Tag("long") // Minutes.
  void shouldExcludeForLongBetweenJvms() {
    exclude(1000);
  }

  private static void exclude(int entries) {
    CommandRun run = CommandRun.of("dsm", "litmus", "mutex", "--jvms", "2", "--entries", "" + entries, "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    assertEquals(9, lines(run).size(), run.out());
    for (JsonNode line : lines(run)) {
      assertEquals(entries, line.get("entries").asInt(), line.toString());
      assertTrue(line.get("holds").asBoolean(), line.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({"faults,3", "locks,2", "barriers,1", "false-sharing,2"})
  void shouldMeasure(String what, int rows) {
    CommandRun run = CommandRun.of("dsm", "bench", what, "--iterations", "300");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals(2, run.out().lines().filter(line -> line.startsWith("  node ")).count(), run.out());
    assertEquals(rows + 1 + 2 * 4, run.out().lines().count(), run.out());
  }

  @Test
  void shouldFailWhenAJvmIsKilled() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    Thread killer = Thread.ofPlatform().start(() -> {
      while (!done.get()) {
        ChildProcesses.of("dsm-peer").forEach(ProcessHandle::destroyForcibly);
        LockSupport.parkNanos(10_000_000);
      }
    });
    CommandRun run = CommandRun.of("dsm", "litmus", "SB", "--jvms", "2");
    done.set(true);
    killer.join();
    assertEquals(ExitCode.FAILURE, run.exitCode(), run.out());
    assertTrue(run.err().contains("JVM 1 (pid "), run.err());
  }

  @Test
  void shouldMeasureReadsBesideAPlainArray() {
    CommandRun run = CommandRun.of("dsm", "bench", "hits", "--iterations", "2", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    assertTrue(lines(run).getFirst().has("shared, in order, row by row, 1,000 reads"), run.out());
    assertTrue(lines(run).getFirst().has("plain array, at random, 1,000 reads"), run.out());
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {"run fft; no application 'fft'", "run sor --size huge; --size is huge", "run sor --nodes 0; --nodes is 0",
      "run sor --jvms 3; --jvms is 3", "run sor --context blocking; --context is blocking", "bench nothing; no measurement 'nothing'",
      "top --interval 0; --interval is 0.0, must be from 0.1 to 3600.0 seconds",
      "litmus SC; no litmus shape SC", "litmus IRIW; IRIW has 4 threads", "bench locks --nodes 1; --nodes is 1"})
  void shouldRefuseWhatItCannotDo(String words, String message) {
    CommandRun run = CommandRun.of(("dsm " + words).split(" "));
    assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(message), run.err());
  }
}
