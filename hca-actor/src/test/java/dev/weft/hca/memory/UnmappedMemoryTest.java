package dev.weft.hca.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In a JVM of its own, which ends with a signal if anything looks at memory that is not there any more. */
@Tag("jvms")
@Timeout(150)
class UnmappedMemoryTest {
  @TempDir
  private Path directory;

  @Test
  void shouldNotTouchMemoryThatWasDeregisteredAndUnmapped() throws Exception {
    Process other = new ProcessBuilder(List.of(ProcessHandle.current().info().command().orElseThrow(), "-XX:+UseSerialGC", "-Xmx192m",
        "-XX:-CreateCoredumpOnCrash", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), UnmapMain.class.getName(), "100"))
        .directory(directory.toFile()).redirectErrorStream(true).start();
    try {
      assertTrue(other.waitFor(UnmapMain.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals(0, other.exitValue(), () -> new String(read(other)));
    } finally {
      other.destroyForcibly();
    }
  }

  private static byte[] read(Process process) {
    try {
      return process.getInputStream().readAllBytes();
    } catch (java.io.IOException e) {
      return e.toString().getBytes();
    }
  }
}
