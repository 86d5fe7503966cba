package dev.weft.pvfs.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program that runs beside the test, and is what touches the mount. Its output goes to a file, so that nobody waits for it. */
final class Command implements AutoCloseable {
  private final List<String> words;
  private final Path output;
  private final Process process;

  private Command(List<String> words) throws IOException {
    this.words = words;
    output = Files.createTempFile("weft-fuse", ".out");
    process = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(output.toFile()).redirectInput(Path.of("/dev/null").toFile()).start();
  }

  static Command start(String... words) throws IOException {
    return new Command(List.of(words));
  }

  /** Runs it to its end, which is to be successful; what it has printed. */
  static String run(String... words) throws Exception {
    try (Command command = start(words)) {
      return command.succeed(60);
    }
  }

  /** Runs a script of sh(1), which is to succeed. */
  static String sh(String script) throws Exception {
    return run("sh", "-c", script);
  }

  String succeed(long seconds) throws Exception {
    assertEquals(0, exit(seconds), () -> words + ": " + printed());
    return printed();
  }

  int exit(long seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      fail(words + " has not ended within " + seconds + " s: " + printed());
    }
    return process.exitValue();
  }

  Process process() {
    return process;
  }

  String printed() {
    try {
      return Files.readString(output, StandardCharsets.ISO_8859_1);
    } catch (IOException gone) {
      return gone.toString();
    }
  }

  /** Waits until it has printed this. */
  void expect(String text) {
    Waits.until(words + " to say '" + text + "'", () -> {
      boolean wasAlive = process.isAlive();
      if (printed().contains(text)) {
        return true;
      }
      assertTrue(wasAlive, () -> words + " has ended without '" + text + "': " + printed());
      return false;
    }, this::printed);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(output);
  }
}
