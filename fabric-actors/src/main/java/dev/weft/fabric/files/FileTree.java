package dev.weft.fabric.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Deletes directories with their contents. Any thread. */
public final class FileTree {
  private FileTree() {}

  /**
   * Deletes a directory and all that is in it, without following links. It is no error if another process deletes some of it meanwhile.
   *
   * @throws IOException if the directory does not exist, or something in it cannot be deleted; other parts may then be deleted already
   */
  public static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
