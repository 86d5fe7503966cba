package dev.weft;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The scripts in {@code bench/} measure something: the shortest run of each ends well and prints a table with a value of ours, and of each peer
 * that is installed. What they measure is not judged here. They run what {@code package} has built.
 */
@Tag("jvms")
class BenchScriptsTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));

  /** 0 when measured; of {@code netvm-targets} also 1, when a target is missed. */
  private static boolean hasMeasured(String script, int exitCode) {
    return exitCode == 0 || exitCode == 1 && script.equals("netvm-targets");
  }

  private static boolean isPackaged() throws IOException {
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(ROOT.resolve("launcher/target"), "launcher-*.jar")) {
      return jars.iterator().hasNext();
    } catch (NoSuchFileException none) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"compare-tripwires --quick --only rtt", "compare-fabric --quick --only local-write-8 --warm-up with",
      "compare-pvfs --quick --only create-native"})
  @Timeout(300)
  void shouldMeasureAndPrintATable(String line, @TempDir Path dir) throws Exception {
    measure(line, dir);
  }

  @ParameterizedTest
  @Tag("long")
  @ValueSource(strings = {"netvm-targets --quick", "compare-nbd --quick --pairs 1 --only read-4k-q1 --jvms 3"})
  @Timeout(300)
  void shouldMeasureAndPrintALongerTable(String line, @TempDir Path dir) throws Exception {
    measure(line, dir);
  }

  private static void measure(String line, Path dir) throws Exception {
    boolean packaged = isPackaged();
    assertTrue(packaged || System.getenv("CI") == null, "there is no launcher/target/launcher-*.jar");
    assumeTrue(packaged, "nothing is packaged; run with verify instead of test");
    List<String> command = new ArrayList<>(List.of(line.split(" ")));
    String script = command.getFirst();
    command.set(0, ROOT.resolve("bench").resolve(script).toString());
    Path out = dir.resolve("out");
    Path err = dir.resolve("err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("WEFT_NO_BUILD", "1");
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(280, TimeUnit.SECONDS), "it ends");
    } finally {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroy();
    }
    String text = Files.readString(out);
    String all = line + " ended with " + process.exitValue() + "\n" + text + Files.readString(err);
    assertTrue(hasMeasured(script, process.exitValue()), all);
    assertTrue(text.lines().anyMatch(row -> row.matches("\\| [^|]+ \\| \\d[^|]* \\|.*")), all);
    assertTrue(text.lines().noneMatch(row -> row.matches("\\| [^|]+ \\| [^|]+ \\| [^|]+ - \\|.*")), "a peer was measured in vain: " + all);
  }
}
