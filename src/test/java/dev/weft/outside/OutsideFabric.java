package dev.weft.outside;

import dev.weft.fabric.rules.Waits;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A fabric with a file system, as {@code ./weft} starts it, with two mounts of each kind and nodes of a shared memory as soon as a case needs them. */
final class OutsideFabric {
  private static final Path ROOT = Path.of(System.getProperty("weft.root"));
  private static final int PATIENCE_S = 300;

  private final Path home;
  private final Map<String, List<Process>> mounts = new HashMap<>();
  private Process memory;

  /** Starts it. */
  OutsideFabric() throws IOException, InterruptedException {
    home = Files.createTempDirectory("weft-outside-");
    Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x")); // Cases come as other users, too.
    try {
      Files.createDirectory(states());
      run(List.of("up", "--pvfs=4", "--jvms=2", "--memory=16M", "--pvfs-memory=96M", "--pvfs-tcp=127.0.0.1:0", "--http=127.0.0.1:0",
          "--nbd=unix:" + home.resolve("nbd"), "--detach"));
    } catch (IOException | RuntimeException | Error failed) {
      try {
        close();
      } catch (IOException notUp) {
        failed.addSuppressed(notUp);
      }
      throw failed;
    }
  }

  private Path states() {
    return home.resolve("state");
  }

  private Path mountPoint(String cache, String name) {
    return home.resolve(cache).resolve(name);
  }

  /** A process whose variables are those of a case; both outputs go into a file. */
  private ProcessBuilder builder(List<String> command, Path said) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).redirectOutput(said.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("PATH", ROOT + ":" + environment.getOrDefault("PATH", "/usr/bin:/bin"));
    environment.put("PYTHONPATH", ROOT.resolve("dsm-actors/src/main/python").toString());
    environment.put("WEFT_STATE_DIR", states().toString());
    environment.put("WEFT_NO_BUILD", "1");
    // They live for seconds. The media driver is nobody else's.
    environment.put("WEFT_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Dweft.fabric.cluster.media-driver.directory=" + driver().resolve("driver"));
    environment.remove("WEFT_SECRET_FILE");
    environment.remove("JAVA_TOOL_OPTIONS");
    return builder;
  }

  private Path driver() {
    return Path.of("/dev/shm").resolve(home.getFileName());
  }

  /** Runs {@code ./weft} to its end, which must be a good one. */
  private void run(List<String> arguments) throws IOException, InterruptedException {
    Path said = home.resolve(arguments.getFirst() + ".log");
    Process process = start(arguments, said);
    boolean ended = process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
    end(process);
    if (!ended || process.exitValue() != 0) {
      throw new IOException("weft " + String.join(" ", arguments) + (ended ? " failed: " : " did not end: ") + Files.readString(said) + logs());
    }
  }

  private Process start(List<String> arguments, Path said) throws IOException {
    List<String> command = new ArrayList<>(List.of(ROOT.resolve("weft").toString()));
    command.addAll(arguments);
    return builder(command, said).start();
  }

  /** Runs a case; what it has said, or null if it has ended well. */
  String problem(OutsideCase test) throws IOException, InterruptedException {
    mount(test.cache());
    if (test.needsMemory()) {
      serveMemory();
    }
    Path work = Files.createTempDirectory(home, "case-");
    Path said = work.resolve("said.log");
    ProcessBuilder builder = builder(test.command(), said);
    Map<String, String> environment = builder.environment();
    environment.put("A", mountPoint(test.cache(), "A").toString());
    environment.put("B", mountPoint(test.cache(), "B").toString());
    environment.put("MOUNT_A", Long.toString(mounts.get(test.cache()).getFirst().pid()));
    environment.put("MOUNT_B", Long.toString(mounts.get(test.cache()).getLast().pid()));
    environment.put("CACHE", test.cache());
    environment.put("MMU", home.resolve("mmu").toString());
    environment.put("T", Files.createDirectory(work.resolve("work")).toString());
    environment.put("LIB", test.script().resolveSibling("lib.sh").toString());
    environment.put("TCP", tcp());
    Process process = builder.start();
    boolean ended = process.waitFor(test.seconds(), TimeUnit.SECONDS);
    end(process);
    String problem = !ended ? "did not end within " + test.seconds() + " s" : process.exitValue() != 0 ? "ended with " + process.exitValue() : null;
    problem = problem == null ? null : problem + ":\n" + Files.readString(said) + logs();
    remove(work);
    for (List<Process> pair : mounts.values()) {
      problem = pair.stream().allMatch(Process::isAlive) ? problem : "a mount has ended by itself; " + problem + logs();
    }
    empty(mountPoint(test.cache(), "A"));
    return problem;
  }

  /** Where clients outside of the fabric find it. */
  private String tcp() throws IOException {
    String up = Files.readString(home.resolve("up.log"));
    String mark = "Clients outside of the fabric: ";
    int from = up.indexOf(mark) + mark.length();
    return up.substring(from, up.indexOf(' ', from));
  }

  private void mount(String cache) throws IOException, InterruptedException {
    if (mounts.containsKey(cache)) {
      return;
    }
    List<Process> pair = new ArrayList<>();
    mounts.put(cache, pair);
    for (String name : List.of("A", "B")) {
      Path directory = Files.createDirectories(mountPoint(cache, name));
      pair.add(start(List.of("pvfs", "mount", "--allow-other", "--cache=" + cache, directory.toString()), log("mount-" + cache + "-" + name)));
    }
    for (int i = 0; i < pair.size(); i++) {
      Path directory = mountPoint(cache, i == 0 ? "A" : "B");
      await("the mount at " + directory, pair.get(i), () -> isMounted(directory));
    }
  }

  private void serveMemory() throws IOException, InterruptedException {
    if (memory == null) {
      Path mmu = home.resolve("mmu");
      memory = start(List.of("dsm", "serve", "--nodes=2", "--mmu=" + mmu), log("dsm"));
      await("the nodes of the shared memory", memory, () -> read(log("dsm")).contains("node 1 serves"));
    }
  }

  private Path log(String name) {
    return home.resolve(name + ".log");
  }

  private void await(String what, Process process, BooleanSupplier condition) {
    Waits.until(what, PATIENCE_S, () -> {
      if (!process.isAlive()) {
        throw new AssertionError(what + " ended by itself" + logs());
      }
      return condition.getAsBoolean();
    }, this::logs);
  }

  private static boolean isMounted(Path directory) {
    return read(Path.of("/proc/self/mounts")).contains(" " + directory + " ");
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private String logs() {
    StringBuilder text = new StringBuilder();
    for (Path directory : List.of(home, states())) {
      try (Stream<Path> files = Files.list(directory)) {
        files.filter(file -> file.toString().endsWith(".log")).sorted().forEach(file -> text.append("\n== ").append(file.getFileName()).append('\n')
            .append(read(file)));
      } catch (IOException unreadable) {
        text.append(unreadable);
      }
    }
    return text.toString();
  }

  /** With what it has started. */
  private static void end(Process process) throws InterruptedException {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly();
    if (process.isAlive()) {
      process.waitFor(PATIENCE_S, TimeUnit.SECONDS);
    }
    children.forEach(ProcessHandle::destroyForcibly);
  }

  private static void empty(Path directory) throws IOException, InterruptedException {
    new ProcessBuilder("find", directory.toString(), "-mindepth", "1", "-delete").inheritIO().start().waitFor(PATIENCE_S, TimeUnit.SECONDS);
  }

  private static void remove(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
  }

  /** Ends all of it. */
  void close() throws IOException, InterruptedException {
    for (Map.Entry<String, List<Process>> pair : mounts.entrySet()) {
      for (String name : List.of("A", "B")) {
        String directory = mountPoint(pair.getKey(), name).toString();
        new ProcessBuilder("umount", "-l", directory).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor();
      }
      for (Process mount : pair.getValue()) {
        mount.waitFor(PATIENCE_S, TimeUnit.SECONDS);
        end(mount);
      }
    }
    if (memory != null) {
      memory.destroy();
      memory.waitFor(PATIENCE_S, TimeUnit.SECONDS);
      end(memory);
    }
    try {
      run(List.of("down"));
    } finally {
      remove(home);
      if (Files.exists(driver())) {
        remove(driver());
      }
    }
  }
}
