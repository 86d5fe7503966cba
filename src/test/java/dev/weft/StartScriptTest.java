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

/** {@code ./weft} of a checkout whose AOT cache is of no use. */
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

  @Test
  void shouldStartAndSayNothingOfACacheThatIsOfNoUse() throws Exception {
    checkOut();
    for (byte[] cache : new byte[][] {{}, "not a cache".getBytes(), new byte[1 << 20]}) {
      Files.write(directory.resolve("launcher/target/weft.aot"), cache);
      Path out = directory.resolve("out");
      Path err = directory.resolve("err");
      ProcessBuilder builder = new ProcessBuilder(directory.resolve("weft").toString(), "--version").directory(directory.toFile());
      builder.environment().put("WEFT_NO_BUILD", "1");
      builder.environment().remove("JAVA_TOOL_OPTIONS");
      Process process = builder.redirectOutput(out.toFile()).redirectError(err.toFile()).start();
      assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it ends");
      assertEquals("", Files.readString(err), "with a cache of " + cache.length + " bytes");
      assertEquals(0, process.exitValue());
      assertTrue(Files.readString(out).startsWith("weft "), Files.readString(out));
    }
  }
}
