package dev.weft.outside;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A script that tests Weft from outside, with one kind of mount. Its exit code is 0 if Weft does right. Comments at its beginning say what it takes:
 * {@code # caches: none metadata full} (default: none), {@code # needs: dsm} (nodes of a shared memory), {@code # seconds: 240} (default: 240).
 *
 * @param cache of the mounts
 * @param needsMemory whether it takes part in a shared memory
 */
record OutsideCase(Path script, String cache, boolean needsMemory, int seconds) {
  private static final int SECONDS = 240;
  private static final Pattern SCRIPT = Pattern.compile("br-.*\\.(sh|py)");

  /** All cases of a directory, in order. */
  static List<OutsideCase> all(Path directory) throws IOException {
    List<OutsideCase> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path script : files.filter(file -> SCRIPT.matcher(file.getFileName().toString()).matches()).sorted().toList()) {
        String text = Files.readString(script);
        int seconds = Integer.parseInt(heading(text, "seconds", Integer.toString(SECONDS)));
        for (String cache : heading(text, "caches", "none").split(" +")) {
          all.add(new OutsideCase(script, cache, heading(text, "needs", "").contains("dsm"), seconds));
        }
      }
    }
    return all;
  }

  private static String heading(String text, String name, String otherwise) {
    Matcher line = Pattern.compile("(?m)^# " + name + ": *(.*?) *$").matcher(text);
    return line.find() ? line.group(1) : otherwise;
  }

  /** The command that runs it. */
  List<String> command() {
    return script.toString().endsWith(".py") ? List.of("python3", script.toString()) : List.of("bash", "-eu", "-o", "pipefail", script.toString());
  }

  @Override
  public String toString() {
    return script.getFileName() + " (cache " + cache + ")";
  }
}
