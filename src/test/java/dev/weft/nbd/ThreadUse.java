package dev.weft.nbd;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the threads of a process have done so far, as the kernel counts it in {@code /proc/PID/task/TID}.
 *
 * @param byThread by the thread's id and its name
 */
record ThreadUse(Map<String, Use> byThread) {
  /**
   * Of one thread.
   *
   * @param wakings how often it has gone to sleep of its own accord, and so was woken
   * @param ns time for which it has run on a processor
   */
  record Use(long wakings, long ns) {
    static final Use NONE = new Use(0, 0);
  }

  static ThreadUse of(ProcessHandle process) throws IOException {
    Map<String, Use> uses = new TreeMap<>();
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      for (Path task : tasks.toList()) {
        try {
          String name = Files.readString(task.resolve("comm")).strip();
          long wakings = Files.readAllLines(task.resolve("status")).stream().filter(line -> line.startsWith("voluntary_ctxt_switches:"))
              .mapToLong(line -> Long.parseLong(line.split("\\s+")[1])).findFirst().orElseThrow();
          uses.put(task.getFileName() + " " + name, new Use(wakings, Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0])));
        } catch (NoSuchFileException ended) {
          continue; // Between the list and the look.
        }
      }
    }
    return new ThreadUse(uses);
  }

  /** What was done since {@code before}; threads that ended meanwhile are left out. */
  ThreadUse since(ThreadUse before) {
    Map<String, Use> uses = new LinkedHashMap<>();
    byThread.forEach((thread, use) -> {
      Use was = before.byThread.getOrDefault(thread, Use.NONE);
      uses.put(thread, new Use(use.wakings() - was.wakings(), use.ns() - was.ns()));
    });
    return new ThreadUse(uses);
  }

  long wakings() {
    return byThread.values().stream().mapToLong(Use::wakings).sum();
  }

  long totalNs() {
    return byThread.values().stream().mapToLong(Use::ns).sum();
  }

  /** Names of threads that a condition holds for. */
  List<String> threads(Predicate<Use> condition) {
    return byThread.entrySet().stream().filter(thread -> condition.test(thread.getValue())).map(Map.Entry::getKey).toList();
  }

  /** The threads that were woken most, for a message. */
  String most(int threads, double elapsedNs) {
    return byThread.entrySet().stream().sorted((a, b) -> Long.compare(b.getValue().wakings(), a.getValue().wakings())).limit(threads)
        .map(e -> e.getKey().substring(e.getKey().indexOf(' ') + 1) + String.format(Locale.ROOT, " %.0f/s %.2f %%",
            e.getValue().wakings() / (elapsedNs / 1e9), 100 * e.getValue().ns() / elapsedNs)).collect(Collectors.joining(", "));
  }
}
