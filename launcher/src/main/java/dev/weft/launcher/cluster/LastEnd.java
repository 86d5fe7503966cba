package dev.weft.launcher.cluster;

import dev.weft.fabric.files.PrivateFile;
import dev.weft.service.process.StateDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reason why the last fabric of a state directory ended by itself: one line in a file there, until the next fabric is up. */
final class LastEnd {
  private static final Logger LOG = LoggerFactory.getLogger(LastEnd.class);
  private static final String NAME = "last-end";
  private static final int CHARACTERS_MAX = 2000;

  private LastEnd() {}

  private static Path file(StateDirectory states) {
    return states.path().resolve(NAME);
  }

  /** Writes the reason. The first JVM of the fabric calls this. */
  static void write(StateDirectory states, Throwable reason) {
    String text = (reason.getMessage() == null ? reason.toString() : reason.getMessage()).strip().replaceAll("\\s+", " ");
    String line = "the last one (pid " + ProcessHandle.current().pid() + ") ended by itself at " + Instant.now().truncatedTo(ChronoUnit.SECONDS) + ": "
        + text.substring(0, Math.min(text.length(), CHARACTERS_MAX));
    try {
      PrivateFile.replace(file(states), line.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      LOG.warn("'weft status' will not be able to say why the fabric ended: {}", e.toString());
    }
  }

  /** Returns the reason; empty if a command or a signal ended the last fabric, or nothing is known. */
  static String read(StateDirectory states) throws IOException {
    try {
      return Files.readString(file(states), StandardCharsets.UTF_8).strip();
    } catch (NoSuchFileException nothing) {
      return "";
    }
  }

  static void forget(StateDirectory states) throws IOException {
    Files.deleteIfExists(file(states));
  }
}
