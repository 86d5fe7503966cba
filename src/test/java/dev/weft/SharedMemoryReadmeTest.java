package dev.weft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.JvmFlags;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the program of {@code dsm-actors/README.md} from its source, as the page says. */
@Tag("jvms")
class SharedMemoryReadmeTest {
  @Test
  @Timeout(400)
  void shouldPrintWhatThePageSays(@TempDir Path directory) throws Exception {
    Path source = PageProgram.compile("dsm-actors/README.md", "Particles.java", directory);
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m"));
    command.addAll(JvmFlags.NEEDED);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), source.toString()));
    Path out = directory.resolve("out");
    Process jvm = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      assertTrue(jvm.waitFor(200, TimeUnit.SECONDS), "it does not end");
    } finally {
      jvm.destroyForcibly();
    }
    assertEquals(0, jvm.exitValue());
    assertTrue(Files.readString(source).contains("// 1.0 2"));
    assertEquals("1.0 2", Files.readString(out).lines().reduce((before, line) -> line).orElse(""));
  }
}
