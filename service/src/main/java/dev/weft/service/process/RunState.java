package dev.weft.service.process;

import dev.weft.fabric.cluster.ProcessWatch;
import dev.weft.fabric.files.PrivateFile;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The record of one Weft process in the state directory.
 *
 * @param kind {@code up}, {@code member} or {@code join}
 * @param pid process id
 * @param startedAt start time of the process, which distinguishes it from a later process with the same id
 * @param address {@code host:port} of its control plane, which others join
 * @param http base address of its HTTP inspection
 * @param driverDirectory directory of the media driver that it uses
 * @param captureKey the key that a client must send to capture its packets
 * @param endpoints URIs of its services, by the name of the service; services without URIs are absent
 */
public record RunState(Kind kind, long pid, Instant startedAt, String address, URI http, Path driverDirectory,
    CaptureKey captureKey, Map<String, List<String>> endpoints) {
  private static final String ENDPOINTS = "endpoints.";
  /** The kernel counts start times from the boot time, which it corrects with its clock. So two JVMs may see start times that differ by seconds. */
  private static final Duration START_TOLERANCE = Duration.ofSeconds(5);

  /** The command that the process runs. */
  public enum Kind {
    UP,
    MEMBER,
    JOIN
  }

  /** Creates the record of this process. */
  public static RunState ofThisProcess(Kind kind, String address, URI http, Path driverDirectory,
      CaptureKey captureKey, Map<String, List<String>> endpoints) {
    ProcessHandle self = ProcessHandle.current();
    return new RunState(kind, self.pid(), startOf(self), address, http, driverDirectory, captureKey, endpoints);
  }

  private static Instant startOf(ProcessHandle process) {
    return process.info().startInstant().orElse(Instant.EPOCH);
  }

  /** Returns the process if it still runs. A killed process that the kernel is still removing does not run. */
  public Optional<ProcessHandle> process() {
    return ProcessHandle.of(pid).filter(process -> ProcessWatch.isAlive(pid))
        .filter(p -> Duration.between(startedAt, startOf(p)).abs().compareTo(START_TOLERANCE) <= 0);
  }

  /** Whether the process was killed but the kernel has not yet reclaimed all its resources. */
  public boolean isDying() {
    return process().isEmpty() && !ProcessWatch.isAlive(pid) && !ProcessWatch.isGone(pid);
  }

  public String fileName() {
    return fileName(kind, pid);
  }

  public static String fileName(Kind kind, long pid) {
    return kind.name().toLowerCase(java.util.Locale.ROOT) + "-" + pid + ".properties";
  }

  public void write(Path directory) throws IOException {
    Properties properties = new Properties();
    properties.setProperty("kind", kind.name());
    properties.setProperty("pid", Long.toString(pid));
    properties.setProperty("started-at", startedAt.toString());
    properties.setProperty("address", address);
    properties.setProperty("http", http.toString());
    properties.setProperty("driver-directory", driverDirectory.toString());
    properties.setProperty("capture-key", captureKey.text());
    endpoints.forEach((service, uris) -> properties.setProperty(ENDPOINTS + service, String.join(" ", uris)));
    Path temporary = directory.resolve(fileName() + ".new");
    try {
      PrivateFile.makeEmpty(temporary);
      try (Writer writer = Files.newBufferedWriter(temporary)) {
        properties.store(writer, "a running Weft process");
      }
    } catch (IOException e) {
      Files.deleteIfExists(temporary);
      throw StateDirectory.noRoom(directory, e);
    }
    Files.move(temporary, directory.resolve(fileName()), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  public static RunState read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    try {
      return new RunState(Kind.valueOf(need(properties, "kind", file)), Long.parseLong(need(properties, "pid", file)),
          Instant.parse(need(properties, "started-at", file)), need(properties, "address", file),
          URI.create(need(properties, "http", file)), Path.of(need(properties, "driver-directory", file)),
          new CaptureKey(properties.getProperty("capture-key", "")), // Earlier versions had none.
          endpoints(properties));
    } catch (IllegalArgumentException | java.time.format.DateTimeParseException e) {
      throw new IOException(file + " is not the state of a Weft process: " + e.getMessage(), e);
    }
  }

  private static Map<String, List<String>> endpoints(Properties properties) {
    Map<String, List<String>> found = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(ENDPOINTS)) {
        found.put(key.substring(ENDPOINTS.length()), List.of(properties.getProperty(key).split(" ")));
      }
    }
    return found;
  }

  private static String need(Properties properties, String key, Path file) throws IOException {
    String value = properties.getProperty(key);
    if (value == null) {
      throw new IOException(file + " says nothing about " + key + "; remove it if no Weft process wrote it");
    }
    return value;
  }
}
