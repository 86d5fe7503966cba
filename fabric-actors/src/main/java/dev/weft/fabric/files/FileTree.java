package dev.weft.fabric.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory with all that is in it. Any thread. */
public final class FileTree {
  private FileTree() {}

  /**
   * Deletes it, without following links. What somebody else has deleted meanwhile is no error.
   *
   * @throws IOException if it is not there, or something in it cannot be deleted; the rest may be gone then
   */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
