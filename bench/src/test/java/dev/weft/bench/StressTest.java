package dev.weft.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs jcstress over the classes that threads share without locks. A short search by default; for a long one:
 * {@code mvn -pl bench -am -Dtest=StressTest -Dsurefire.failIfNoSpecifiedTests=false -Dweft.stress.iterations=50 test}, and
 * {@code -Dweft.stress.select=Doorbell} for a part.
 */
@Tag("slow")
@Tag("jvms")
class StressTest {
  private static final String JVM = "-XX:+UseSerialGC --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow"
      + " --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";

  @TempDir
  private Path directory;
  private Process process;

  @AfterEach
  void end() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void shouldShowNoForbiddenOutcome() throws Exception {
    assertEquals(0, run(System.getProperty("weft.stress.select", "dev\\.weft\\.(fabric|hca)\\."),
        Integer.getInteger("weft.stress.iterations", 1)), this::output);
    assertTrue(shows("Results: ([1-9]\\d*) planned; \\1 passed, 0 failed"), this::output);
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void shouldFindALostWakeUp() throws Exception {
    int exitCode = 0;
    for (int iterations = 3; exitCode == 0 && iterations <= 81; iterations *= 3) { // On a busy machine its two threads seldom run at the same time.
      exitCode = run("dev\\.weft\\.bench\\.LostWakeUp", iterations);
    }
    assertTrue(exitCode != 0, this::output);
    // A test that cannot start ends with the same exit code.
    assertTrue(shows("\\[FAILED] dev\\.weft\\.bench\\.LostWakeUp\\b"), this::output);
    assertTrue(shows("\\b0, 0 +[1-9][0-9,]* +\\S+ +Forbidden"), this::output);
  }

  /** Runs the selected tests, each in a JVM of its own, and returns jcstress's exit code: not 0 after a forbidden outcome. */
  private int run(String select, int iterations) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
        System.getProperty("java.class.path"), "org.openjdk.jcstress.Main", "-t", select, "-f", "1", "-iters", "" + iterations,
        "-time", "200", "-sc", "false", "-af", "NONE", "-jvmArgs", JVM, "-r", directory.toString()));
    File log = directory.resolve("log").toFile();
    process = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).redirectOutput(log).start();
    return process.waitFor();
  }

  private boolean shows(String pattern) {
    return Pattern.compile(pattern).matcher(output()).find();
  }

  private String output() {
    try {
      return Files.readString(directory.resolve("log"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
