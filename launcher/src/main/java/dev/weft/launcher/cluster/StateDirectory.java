package dev.weft.launcher.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where running Weft processes of this user are recorded: {@code WEFT_STATE_DIR}, or {@code weft-<user>} below the directory for
 * temporary files. Readable by the user only.
 */
record StateDirectory(Path path) {
  static StateDirectory open() throws IOException {
    String chosen = System.getenv("WEFT_STATE_DIR");
    Path path = chosen != null && !chosen.isBlank() ? Path.of(chosen)
        : Path.of(System.getProperty("java.io.tmpdir"), "weft-" + System.getProperty("user.name"));
    Files.createDirectories(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    return new StateDirectory(path);
  }

  /** All recorded processes, {@code up} first; files of processes that are gone are included. */
  List<RunState> all() throws IOException {
    List<RunState> states = new ArrayList<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.filter(f -> f.getFileName().toString().endsWith(".properties")).sorted().toList()) {
        states.add(RunState.read(file));
      }
    }
    states.sort(Comparator.comparing(RunState::kind).thenComparing(RunState::pid));
    return states;
  }

  /** The recorded processes that still run. */
  List<RunState> running() throws IOException {
    return all().stream().filter(state -> state.process().isPresent()).toList();
  }

  void remove(RunState state) throws IOException {
    Files.deleteIfExists(path.resolve(state.fileName()));
  }

  Path logFile(String name) {
    return path.resolve(name + ".log");
  }
}
