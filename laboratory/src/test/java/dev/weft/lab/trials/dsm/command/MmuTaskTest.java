package dev.weft.lab.trials.dsm.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.mmu.MmuException;
import dev.weft.dsm.mmu.MmuServer;
import dev.weft.dsm.mmu.MmuSettings;
import dev.weft.dsm.node.DsmNode;
import dev.weft.hca.node.LocalFabric;
import dev.weft.lab.trials.dsm.apps.LocalRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What threads of nodes play, played by processes of their own with plain loads and stores, on two nodes. */
@Tag("jvms")
@Timeout(240)
class MmuTaskTest {
  private static final int NODES = 2;
  @TempDir Path temporary;

  private void play(Task task) throws Exception {
    List<Process> processes = new ArrayList<>();
    try (LocalFabric fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 16 MiB\nweft.hca.pin-memory = false"));
        DsmNode zero = DsmNode.join(fabric, fabric.addNode("host-0"), "test", "host-0");
        DsmNode one = DsmNode.join(fabric, fabric.addNode("host-1"), "test", "host-0");
        MmuServer first = serve(fabric, zero, "0");
        MmuServer second = serve(fabric, one, "1")) {
      for (int node = 0; node < NODES; node++) {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
            "-XX:+UseSerialGC", "-XX:-CreateCoredumpOnCrash", "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
            MmuTaskMain.class.getName(), (node == 0 ? first : second).directory().toString(), "" + node, "1", "" + NODES));
        command.addAll(task.words());
        processes.add(new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(temporary.resolve("log-" + node).toFile()).start());
      }
      for (int node = 0; node < NODES; node++) {
        assertTrue(processes.get(node).waitFor(100, TimeUnit.SECONDS), "process " + node + " does not end");
        assertEquals(0, processes.get(node).exitValue(), Files.readString(temporary.resolve("log-" + node)));
      }
      task.accept(Files.readAllLines(first.directory().resolve(ApplicationProcesses.RESULTS)));
    } finally {
      processes.forEach(Process::destroyForcibly);
    }
  }

  private MmuServer serve(LocalFabric fabric, DsmNode node, String name) throws Exception {
    try {
      return MmuServer.start(node, MmuSettings.from(fabric.config()), temporary.resolve(name));
    } catch (MmuException forbidden) {
      assumeTrue("true".equals(System.getenv("CI")), "this machine forbids page protection: " + forbidden.getMessage());
      throw forbidden;
    }
  }

  @Test
  void shouldSolveTheSameAsTheSequentialRunWhenAnApplicationRunsInProcessesOfItsOwn() throws Exception {
    RunTask task = new RunTask(List.of(RunTask.NAME, "sor", "small", "sequential", "2"));
    play(task);
    assertEquals(2, task.seconds().size());
    assertTrue(task.outcome().passed(), task.outcome().checks().toString());
    assertTrue(task.outcome().against(LocalRun.sequential(task.application(), "small")).passed());
  }

  @Test
  void shouldShowOnlyWhatIsSequentiallyConsistentWhenProcessesRace() throws Exception {
    LitmusTask task = new LitmusTask(List.of(LitmusTask.NAME, "300", "1", "SB,MP,CoRR"));
    play(task);
    assertEquals(7, task.reports().size());
    task.reports().forEach(report -> assertTrue(report.holds() && report.rounds() == 300, report.toString()));
  }

  @Test
  void shouldExcludeEachOtherByReadsAndWritesAloneWhenProcessesRace() throws Exception {
    MutexTask task = new MutexTask(List.of(MutexTask.NAME, "200"));
    play(task);
    assertEquals(9, task.reports().size());
    task.reports().forEach(report -> assertTrue(report.holds() && report.entries() == 200, report.toString()));
  }
}
