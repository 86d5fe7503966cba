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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Time that the threads of a process have run on a processor, from {@code /proc/PID/task/TID/schedstat}, in nanoseconds.
 *
 * @param byThread by the thread's id and its name
 */
record CpuTime(Map<String, Long> byThread) {
  static CpuTime of(ProcessHandle process) throws IOException {
    Map<String, Long> times = new TreeMap<>();
    try (Stream<Path> tasks = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      for (Path task : tasks.toList()) {
        try {
          String name = Files.readString(task.resolve("comm")).strip();
          times.put(task.getFileName() + " " + name, Long.parseLong(Files.readString(task.resolve("schedstat")).split(" ")[0]));
        } catch (NoSuchFileException ended) {
          continue; // Between the list and the look.
        }
      }
    }
    return new CpuTime(times);
  }

  /** What was used since {@code before}; threads that ended meanwhile are left out. */
  CpuTime since(CpuTime before) {
    Map<String, Long> times = new LinkedHashMap<>();
    byThread.forEach((thread, ns) -> times.put(thread, ns - before.byThread.getOrDefault(thread, 0L)));
    return new CpuTime(times);
  }

  long totalNs() {
    return byThread.values().stream().mapToLong(Long::longValue).sum();
  }

  /** The threads that used most, in percent of a core, for a message. */
  String most(int threads, double elapsedNs) {
    List<Map.Entry<String, Long>> sorted = byThread.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed()).limit(threads).toList();
    return sorted.stream().map(e -> e.getKey().substring(e.getKey().indexOf(' ') + 1) + " "
        + String.format(Locale.ROOT, "%.2f", 100 * e.getValue() / elapsedNs) + " %").collect(Collectors.joining(", "));
  }
}
