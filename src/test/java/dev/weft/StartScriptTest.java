package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code ./weft} of a checkout: the JVM that it starts. */
@Tag("jvms")
@Timeout(400)
class StartScriptTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));

  @TempDir private Path directory;

  /** A checkout that has been built, with this one's jars. */
  private void checkOut() throws IOException {
    Path built = ROOT.resolve("launcher/target");
    Needs.that(Files.isDirectory(built.resolve("lib")), "the launcher is not packaged; run mvn package, or verify");
    Path target = Files.createDirectories(directory.resolve("launcher/target"));
    Files.createSymbolicLink(target.resolve("lib"), built.resolve("lib"));
    try (Stream<Path> files = Files.list(built)) {
      for (Path jar : files.filter(file -> file.getFileName().toString().matches("launcher-.*\\.jar")).toList()) {
        Files.createSymbolicLink(target.resolve(jar.getFileName()), jar);
      }
    }
    for (String file : new String[] {"weft", "pom.xml", "application.conf"}) {
      Files.copy(ROOT.resolve(file), directory.resolve(file));
    }
  }

  private Process run(String jvmOptions, String... words) throws Exception {
    ProcessBuilder builder = new ProcessBuilder(Stream.concat(Stream.of(directory.resolve("weft").toString()), Stream.of(words)).toList());
    builder.environment().put("WEFT_NO_BUILD", "1");
    builder.environment().put("WEFT_JAVA_OPTS", jvmOptions);
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    Process process = builder.directory(directory.toFile()).redirectOutput(out().toFile()).redirectError(err().toFile()).start();
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it ends");
    return process;
  }

  private Path out() {
    return directory.resolve("out");
  }

  private Path err() {
    return directory.resolve("err");
  }

  @Test
  void shouldStartAndSayNothingOfACacheThatIsOfNoUse() throws Exception {
    checkOut();
    for (byte[] cache : new byte[][] {{}, "not a cache".getBytes(), new byte[1 << 20]}) {
      Files.write(directory.resolve("launcher/target/weft.aot"), cache);
      Process process = run("", "--version");
      assertEquals("", Files.readString(err()), "with a cache of " + cache.length + " bytes");
      assertEquals(0, process.exitValue());
      assertTrue(Files.readString(out()).startsWith("weft "), Files.readString(out()));
    }
  }

  @Test
  void shouldSayThatAProcessMayOpenTooFewFiles() throws Exception {
    checkOut();
    Process process = new ProcessBuilder("bash", "-c", "ulimit -n 255; exec ./weft --version").directory(directory.toFile())
        .redirectOutput(out().toFile()).redirectError(err().toFile()).start();
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it ends");
    assertEquals("weft: a process may open only 255 files (hard limit, ulimit -Hn), must be at least 256; raise the limit\n", Files.readString(err()));
    assertEquals(1, process.exitValue());
  }

  /** The second compiler is worth its time in what runs for longer. */
  @ParameterizedTest
  @CsvSource({"--version, true", "down --help, true", "up --help, false"})
  void shouldDoWithoutTheSecondCompilerInWhatEndsSoon(String words, boolean endsSoon) throws Exception {
    checkOut();
    assertEquals(0, run("-XX:+PrintCommandLineFlags", words.split(" ")).exitValue());
    assertEquals(endsSoon, Files.readString(out()).contains("-XX:TieredStopAtLevel=1 "), Files.readString(out()));
  }
}
