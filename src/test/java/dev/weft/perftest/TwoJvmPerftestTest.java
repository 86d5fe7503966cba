package dev.weft.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.typesafe.config.ConfigFactory;
import dev.weft.ChildProcesses;
import dev.weft.CommandRun;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.verbs.QpType;
import dev.weft.service.CommandFailure;
import dev.weft.service.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The far node is in another process. */
@Tag("jvms")
@Timeout(180)
class TwoJvmPerftestTest {
  @Test
  void shouldVerifyEachTestAcrossProcessesAndLeaveNoneBehind() throws IOException, InterruptedException {
    Path parent = Files.createTempDirectory(Path.of("/dev/shm"), "weft-perftest-");
    List<ProcessHandle> started = new ArrayList<>();
    try (PerfFabric fabric = new TwoJvmPerfFabric(ConfigFactory.empty(), parent, List.of())) {
      started.addAll(ChildProcesses.of(parent.toString()));
      assertEquals(2, started.size(), () -> "want the far JVM and the media driver, not " + started);
      for (PerfTest test : PerfTest.all()) {
        verify(fabric, test, QpType.RC, test.operation().isAtomic() ? 8 : 70_000);
      }
      for (String name : List.of("send-lat", "send-bw", "write-lat", "write-imm-lat")) {
        verify(fabric, PerfTest.of(name), QpType.UC, 70_000);
      }
      verify(fabric, PerfTest.of("send-lat"), QpType.UD, 30_000);
      verify(fabric, PerfTest.of("send-bw"), QpType.UD, 30_000);
    }
    // A driver that still saw a client when it was to end does so by itself a little later.
    Waits.until("no process to be left behind", () -> started.stream().noneMatch(ProcessHandle::isAlive), () -> started);
    Files.delete(parent);
  }

  private static void verify(PerfFabric fabric, PerfTest test, QpType type, int size) {
    int depth = test.metric() == PerfMetric.LAT ? 1 : 16;
    PerfResult result = PerfRunner.run(fabric, new PerfParameters(test, type, size, 60, 0, 10, 1, depth, 0, true, 0, PerfContext.ISR,
        false), null);
    assertEquals(0, result.wrong(), type + " " + test.cliName() + ": " + result.firstError());
    assertEquals(60, result.messages());
    if (result.lost() == 0 && result.retransmitted() == 0) {
      // One copy into the trunk and one out of it; UC and UD also take a message out of memory before they call it done. The receiver
      // takes the packets of a long reliable message out of the sender's memory.
      double copies = type != QpType.RC ? 3 : mayReadPeers() ? 1 : 2;
      assertEquals(test.operation().isAtomic() ? 1 : copies, result.copiesPerByte(), 0.001, type + " " + test.cliName());
    }
    assertTrue(result.lost() < 60, type + " " + test.cliName());
    assertNull(result.parked());
  }

  @Test
  @Timeout(240)
  void shouldBlockTheThreadsOfTheTargetAndStillReadFromIt() {
    try (TwoJvmPerfFabric fabric = new TwoJvmPerfFabric(ConfigFactory.empty())) {
      for (PerfOperation operation : new PerfOperation[] {PerfOperation.READ, PerfOperation.FADD, PerfOperation.READ}) {
        PerfResult result = PerfRunner.run(fabric, new PerfParameters(new PerfTest(operation, PerfMetric.LAT), QpType.RC, 8, 300, 0, 10, 1, 1,
            0, true, 0, PerfContext.ISR, true), null);
        assertEquals(0, result.wrong(), result.firstError());
        assertEquals(300, result.messages());
        assertEquals(300, result.latency().count());
        assertTrue(result.parked().running().count() > 0);
        // The application, and one or more threads of each of three dispatchers.
        assertTrue(result.parked().threads() >= 4, result.parked().toString());
        assertTrue(result.parked().unansweredMs() >= 50 && result.parked().answeredUs() > 0, result.parked().toString());
      }
    }
  }

  @Test
  @Timeout(240)
  void shouldPutANicBesideTheFarHcaAndMeasureTheSame() {
    CommandRun run = CommandRun.of("perftest", "write-lat", "-s", "8", "-n", "200", "--jvms", "2", "--nic", "--verify");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    try (TwoJvmPerfFabric fabric = new TwoJvmPerfFabric(ConfigFactory.empty(), List.of("--equip=tripwire"))) {
      // Further devices of a node are named after it; the directory of this JVM learns of them in a moment.
      assertTrue(fabric.host().help(() -> fabric.host().directory().nodes().stream().anyMatch(node -> node.name().startsWith("far/")), 20_000_000_000L),
          () -> fabric.host().directory().nodes().toString());
    }
    CommandFailure failure = assertThrows(CommandFailure.class, () -> new TwoJvmPerfFabric(ConfigFactory.empty(), List.of("--equip=perftest")));
    assertTrue(failure.getMessage().contains("the service perftest has no device to put into a node"), failure.getMessage());
  }

  @Test
  void shouldLeaveNoDirectoryBehindAndQuoteTheFarJvmWhenThatFails(@TempDir Path parent) throws IOException {
    CommandFailure failure = assertThrows(CommandFailure.class,
        () -> new TwoJvmPerfFabric(ConfigFactory.empty(), parent, List.of("--no-such-option")));
    assertTrue(failure.getMessage().contains("no-such-option"), failure.getMessage());
    try (Stream<Path> left = Files.list(parent)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void shouldLeaveNoDirectoryBehindWhenTheNearJvmFails(@TempDir Path parent) throws IOException {
    assertThrows(RuntimeException.class,
        () -> new TwoJvmPerfFabric(ConfigFactory.parseString("weft.hca.path-mtu-max = 1"), parent, List.of()));
    try (Stream<Path> left = Files.list(parent)) {
      assertEquals(List.of(), left.toList());
    }
  }

  /** Yama, where the kernel has it, lets only root read the memory of a process that is no child. */
  private static boolean mayReadPeers() {
    try {
      return System.getProperty("user.name").equals("root") || Files.readString(Path.of("/proc/sys/kernel/yama/ptrace_scope")).strip().equals("0");
    } catch (IOException none) {
      return true;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2048, 65_536})
  void shouldCountTheTrunksCopy(int size) throws IOException {
    CommandRun run = CommandRun.of("perftest", "write-bw", "-s", String.valueOf(size), "-n", "64", "--warmup", "1", "--jvms", "2", "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(2, json.get("jvms").asInt());
    assertEquals(0, json.get("retransmitted").asInt(), run.out());
    assertEquals(size == 65_536 && mayReadPeers() ? 1 : 2, json.get("copiesPerByte").asDouble(), 0.001, run.out());
  }
}
