package dev.weft.lab.trials.mpi.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.ChildProcesses;
import dev.weft.CommandRun;
import dev.weft.lab.trials.mpi.Example;
import dev.weft.lab.trials.mpi.Outcome;
import dev.weft.launcher.WeftCommand;
import dev.weft.service.ExitCode;
import dev.weft.tripwire.mpi.Communicator;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@Tag("slow")
@Tag("jvms")
@Timeout(300)
class MpiCommandTest {
  @Test
  void shouldListWhatThereIs() {
    CommandRun run = CommandRun.of("mpi", "list");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertEquals(4, run.out().lines().count(), run.out());
    assertTrue(run.out().contains("NAS EP class S"), run.out());
  }

  @ParameterizedTest
  @CsvSource({"ring,1", "ring,3", "pi,4", "is,4", "ep,2"})
  void shouldRunAndVerify(String example, String ranks) throws JsonProcessingException {
    CommandRun run = CommandRun.of("mpi", "run", example, "--ranks", ranks, "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(example, json.get("example").asText());
    assertEquals(Integer.parseInt(ranks), json.get("ranks").asInt());
    assertTrue(json.get("verified").asBoolean(), run.out());
    assertTrue(json.get("values").size() > 0, run.out());
  }

  @Test
  void shouldSayItInText() {
    CommandRun run = CommandRun.of("mpi", "run", "pi", "--ranks", "2");
    assertEquals(ExitCode.OK, run.exitCode(), run.err());
    assertTrue(run.out().contains("2 ranks in 1 JVM"), run.out());
    assertTrue(run.out().contains("verified, "), run.out());
  }

  /** The other ranks are in processes of their own. */
  @ParameterizedTest
  @CsvSource({"is,4,2", "ring,3,3"})
  void shouldRunInSeveralJvms(String example, String ranks, String jvms) throws JsonProcessingException {
    CommandRun run = CommandRun.of("mpi", "run", example, "--ranks", ranks, "--jvms", jvms, "--json");
    assertEquals(ExitCode.OK, run.exitCode(), run.err() + run.out());
    JsonNode json = new ObjectMapper().readTree(run.out());
    assertEquals(Integer.parseInt(jvms), json.get("jvms").asInt());
    assertTrue(json.get("verified").asBoolean(), run.out());
  }

  /** A program of two ranks. */
  private static CommandRun run(Function<Communicator, Outcome> program) {
    CommandLine line = WeftCommand.commandLine();
    MpiRunCommand command = line.getSubcommands().get("mpi").getSubcommands().get("run").getCommand();
    command.use(name -> new Example() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public String description() {
        return "a test";
      }

      @Override
      public Outcome run(Communicator world) {
        return program.apply(world);
      }
    });
    return CommandRun.of(line, "mpi", "run", "planted", "--ranks", "2");
  }

  @Test
  void shouldFailWhenTheResultIsWrong() {
    CommandRun run = run(world -> new Outcome(false, Map.of("sum", 5)));
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.out().contains("WRONG"), run.out());
  }

  @Test
  void shouldFailWhenARankFailsThoughOthersWait() {
    CommandRun run = run(world -> {
      if (world.rank() == 1) {
        throw new IllegalStateException("planted");
      }
      world.barrier();
      return new Outcome(true, Map.of());
    });
    assertEquals(ExitCode.FAILURE, run.exitCode());
    assertTrue(run.err().contains("rank 1 failed") && run.err().contains("planted"), run.err());
  }

  @Test
  void shouldFailWhenAJvmIsKilled() throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    Thread killer = Thread.ofPlatform().start(() -> {
      while (!done.get()) {
        ChildProcesses.of("mpi-peer").forEach(ProcessHandle::destroyForcibly);
        LockSupport.parkNanos(10_000_000);
      }
    });
    CommandRun run = CommandRun.of("mpi", "run", "ep", "--ranks", "2", "--jvms", "2");
    done.set(true);
    killer.join();
    assertEquals(ExitCode.FAILURE, run.exitCode(), run.out());
    assertTrue(run.err().contains("PROC_FAILED") && run.err().contains("JVM 1 (pid "), run.err());
  }

  @ParameterizedTest
  @CsvSource({"lu,2,1,there is no example", "pi,0,1,--ranks is 0", "pi,65,1,--ranks is 65", "pi,2,3,--jvms is 3"})
  void shouldRefuseWhatItCannotDo(String example, String ranks, String jvms, String message) {
    CommandRun run = CommandRun.of("mpi", "run", example, "--ranks", ranks, "--jvms", jvms);
    assertEquals(ExitCode.USAGE, run.exitCode(), run.err());
    assertTrue(run.err().contains(message), run.err());
  }
}
