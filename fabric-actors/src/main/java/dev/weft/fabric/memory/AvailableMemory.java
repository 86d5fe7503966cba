package dev.weft.fabric.memory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells how much memory this process can have, and how much it could still fill without swapping. It takes the least of what Linux has and
 * what the process's control groups (version 2 or 1) allow. Pages of files count as available, shared memory does not. Any thread; reads
 * some small files.
 */
public final class AvailableMemory {
  /** Names of the files and fields of a control group. */
  private record Names(String limit, String usage, String statPrefix) {}

  /** Computes the bytes that a group with a limit allows. */
  private interface Measure {
    long of(Path group, long limitBytes, Names names);
  }

  private static final Names VERSION_2 = new Names("memory.max", "memory.current", "");
  private static final Names VERSION_1 = new Names("memory.limit_in_bytes", "memory.usage_in_bytes", "total_");

  private AvailableMemory() {}

  /** Returns the bytes that are available now; {@link Long#MAX_VALUE} if the system does not say. */
  public static long bytes() {
    return bytes(Path.of("/"));
  }

  /** Returns the same, with {@code proc} and {@code sys} below another root. */
  static long bytes(Path root) {
    return least(root, "MemAvailable:", AvailableMemory::left);
  }

  /** Returns the bytes that this process could ever have, used or not; {@link Long#MAX_VALUE} if the system does not say. */
  public static long totalBytes() {
    return totalBytes(Path.of("/"));
  }

  static long totalBytes(Path root) {
    return least(root, "MemTotal:", (group, limitBytes, names) -> limitBytes);
  }

  private static long least(Path root, String field, Measure measure) {
    long least = kib(root.resolve("proc/meminfo"), field);
    Path mounted = root.resolve("sys/fs/cgroup");
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      String[] parts = line.split(":", 3); // number, controllers, path
      if (parts.length == 3 && parts[1].isEmpty()) {
        least = Math.min(least, least(mounted, parts[2], VERSION_2, measure));
      } else if (parts.length == 3 && List.of(parts[1].split(",")).contains("memory")) {
        least = Math.min(least, least(mounted.resolve("memory"), parts[2], VERSION_1, measure));
      }
    }
    return least;
  }

  /** Returns the least of the group and its parents. In a container, the path may be that of the host, of which only the end is mounted. */
  private static long least(Path mounted, String path, Names names, Measure measure) {
    long least = Long.MAX_VALUE;
    for (Path group = mounted.resolve(path.replaceFirst("^/+", "")).normalize(); group.startsWith(mounted); group = group.getParent()) {
      long limitBytes = number(group.resolve(names.limit));
      if (limitBytes != Long.MAX_VALUE) {
        least = Math.min(least, measure.of(group, limitBytes, names));
      }
    }
    return least;
  }

  private static long left(Path group, long limitBytes, Names names) {
    long usedBytes = number(group.resolve(names.usage));
    Path stat = group.resolve("memory.stat");
    return usedBytes == Long.MAX_VALUE ? Long.MAX_VALUE : Math.max(0, limitBytes - usedBytes
        + field(stat, names.statPrefix + "inactive_file", 0) + field(stat, names.statPrefix + "active_file", 0));
  }

  private static long kib(Path file, String name) {
    long kib = field(file, name, Long.MAX_VALUE);
    return kib == Long.MAX_VALUE ? kib : kib * 1024;
  }

  /** Returns the number after {@code name} at the beginning of a line. */
  private static long field(Path file, String name, long otherwise) {
    for (String line : lines(file)) {
      String[] words = line.split("\\s+");
      if (words.length > 1 && words[0].equals(name)) {
        return parse(words[1], otherwise);
      }
    }
    return otherwise;
  }

  private static long number(Path file) {
    List<String> lines = lines(file);
    return lines.isEmpty() ? Long.MAX_VALUE : parse(lines.getFirst().strip(), Long.MAX_VALUE);
  }

  private static long parse(String text, long otherwise) {
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : otherwise; // Neither "max" nor version 1's 19 digits set a limit.
  }

  /** Returns no lines if the file cannot be read; it then sets no limit. */
  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      return List.of();
    }
  }
}
