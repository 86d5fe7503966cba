package dev.weft.dsm.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A JVM is told to end (SIGTERM) while many of its threads fault. {@code -Ddsm.terms=N} does it N times. */
@Tag("jvms")
@Timeout(300)
class EndedJvmTest {
  private static final int THREADS = 64;
  /** What a process ends with that a signal of number 15 has ended. */
  private static final int TERMINATED = 128 + 15;
  private static final int TIMES = Integer.getInteger("dsm.terms", 1);

  @TempDir private Path directory;

  private Process start(Path log, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m", "-XX:+UseSerialGC",
        "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + directory.resolve("crash")));
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(each -> each.startsWith("--")).forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), FaultingMain.class.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
  }

  private void assertEnds(int time, List<String> arguments) throws Exception {
    Path log = directory.resolve("log-" + time);
    Process process = start(log, arguments);
    try {
      while (!Files.readString(log).contains("faulting")) {
        assertTrue(process.isAlive(), () -> read(log));
        Thread.sleep(5);
      }
      process.destroy();
      assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> "it does not end: " + read(log));
      assertEquals(TERMINATED, process.exitValue(), () -> read(log));
      assertFalse(Files.exists(directory.resolve("crash")), () -> read(log));
    } finally {
      process.destroyForcibly();
    }
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void shouldEndWhenItIsToldToWhileThreadsFault(boolean closes) throws Exception {
    List<String> arguments = closes ? List.of("" + THREADS, "close") : List.of("" + THREADS);
    for (int time = 0; time < TIMES; time++) {
      assertEnds(time, arguments);
      if (closes) {
        assertTrue(read(directory.resolve("log-" + time)).contains("closed"), read(directory.resolve("log-" + time)));
      }
    }
  }
}
