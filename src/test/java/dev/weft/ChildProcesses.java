package dev.weft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What this JVM has started, and what that has; other tests start some, too. */
public final class ChildProcesses {
  private ChildProcesses() {}

  /** Those that live and have {@code word} in their command line. */
  public static List<ProcessHandle> of(String word) {
    return ProcessHandle.current().descendants().filter(child -> has(child, word)).toList();
  }

  private static boolean has(ProcessHandle child, String word) {
    try {
      return Files.readString(Path.of("/proc/" + child.pid() + "/cmdline")).contains(word);
    } catch (IOException ended) {
      return false;
    }
  }
}
