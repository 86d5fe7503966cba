package dev.weft.nbd;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weft.ClassArchive;
import dev.weft.fabric.rules.Waits;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The {@code weft} command as a user runs it, but for {@link ClassArchive#command}, with a state directory of its own. */
final class WeftProcess implements AutoCloseable {
  /** What a command answered. */
  record Answer(int exitCode, String out, String err) {}

  /** A killed JVM is its client for 15 s more. */
  private static final int DRIVER_ENDS_S = 150;
  /** Longer than 'up --detach' gives a fabric to start. */
  private static final int COMMAND_ENDS_S = 200;
  private static final int HEAP_MIB = 160;

  private final Path states;
  private final List<String> prefix;
  private final String jvmOptions;
  /** Whether the driver's directory is the one that a user has who names none. */
  private final boolean ownDriver;
  /** On the class path, too; may be null. */
  private Path jar;

  WeftProcess() throws IOException {
    this(List.of(), "");
  }

  /**
   * As on another host.
   *
   * @param prefix command that runs what follows it in another network namespace; empty for none
   * @param jvmOptions of all its JVMs, the media driver among them; empty for none
   */
  WeftProcess(List<String> prefix, String jvmOptions) throws IOException {
    this(prefix, jvmOptions, false);
  }

  private WeftProcess(List<String> prefix, String jvmOptions, boolean ownDriver) throws IOException {
    this.ownDriver = ownDriver;
    this.prefix = List.copyOf(prefix);
    this.jvmOptions = jvmOptions;
    states = Files.createTempDirectory("weft-state-");
  }

  /** With one more jar on the class path, and these JVM options. */
  static WeftProcess withJar(Path jar, String... jvmOptions) throws IOException {
    WeftProcess weft = new WeftProcess(List.of(), String.join(" ", jvmOptions), false);
    weft.jar = jar;
    return weft;
  }

  /** With the settings that a user has. */
  static WeftProcess withDriverOfItsOwn() throws IOException {
    return new WeftProcess(List.of(), "", true);
  }

  /** A command that has not begun. */
  ProcessBuilder builder(String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(ClassArchive.command(HEAP_MIB));
    if (!ownDriver) { // Tests look into it.
      command.add("-Dweft.fabric.cluster.media-driver.directory=" + driverDirectory());
      command.add("-Dweft.fabric.cluster.media-driver.exit-when-unused-after=2s"); // Where a JVM is killed, close() waits for the driver's end.
    }
    command.addAll(List.of("-cp", classPath(), "dev.weft.launcher.Main"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("WEFT_STATE_DIR", states.toString());
    builder.environment().remove("WEFT_SECRET_FILE");
    if (!jvmOptions.isEmpty()) {
      builder.environment().put("JAVA_TOOL_OPTIONS", jvmOptions);
    }
    return builder;
  }

  private String classPath() {
    return ClassArchive.classPath() + (jar == null ? "" : File.pathSeparator + jar);
  }

  /** Starts a command that goes on; its output is in {@link #logs}. */
  Process start(String... arguments) throws IOException {
    return builder(arguments).redirectErrorStream(true).redirectOutput(states.resolve(arguments[0] + ".log").toFile()).start();
  }

  /** The same, with SIGINT as at a terminal, also where this JVM was started deaf to it. */
  Process startAtTerminal(String... arguments) throws IOException {
    ProcessBuilder builder = builder(arguments);
    builder.command().addAll(0, List.of("env", "--default-signal=INT"));
    return builder.redirectErrorStream(true).redirectOutput(states.resolve(arguments[0] + ".log").toFile()).start();
  }

  /** Runs a command to its end. */
  Answer run(String... arguments) throws IOException, InterruptedException {
    Path out = Files.createTempFile(states, "out", ".txt");
    Path err = Files.createTempFile(states, "err", ".txt");
    Process process = builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
    if (!process.waitFor(COMMAND_ENDS_S, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException("weft " + String.join(" ", arguments) + " did not end within " + COMMAND_ENDS_S + " s: " + Files.readString(err) + logs());
    }
    return new Answer(process.exitValue(), Files.readString(out, StandardCharsets.UTF_8), Files.readString(err, StandardCharsets.UTF_8));
  }

  /** Directory of its media driver. */
  Path driverDirectory() {
    return Path.of("/dev/shm").resolve(states.getFileName()).resolve("driver");
  }

  /** {@code weft status --json}. */
  JsonNode status() throws IOException, InterruptedException {
    return new ObjectMapper().readTree(run("status", "--json").out());
  }

  /** Runs {@code weft status} again and again until it answers as wanted. */
  Answer awaitStatus(String what, Predicate<Answer> isWanted) {
    return Waits.seenSeldom(what, () -> run("status"), isWanted);
  }

  /** The same for {@code weft status --json}. */
  JsonNode awaitJson(String what, Predicate<JsonNode> isWanted) {
    return Waits.seenSeldom(what, this::status, isWanted);
  }

  /** Process ids of the JVMs recorded as {@code kind}, for example {@code MEMBER}. */
  List<Long> pids(String kind) throws IOException {
    List<Long> pids = new ArrayList<>();
    for (Properties state : states()) {
      if (state.getProperty("kind").equals(kind)) {
        pids.add(Long.parseLong(state.getProperty("pid")));
      }
    }
    return pids;
  }

  /** Waits for the records of the members, which they write when they have joined; 'up' does not wait for that. */
  List<Long> awaitMembers(int count) {
    return Waits.seen("the records of " + count + " members", () -> pids("MEMBER"), pids -> pids.size() == count);
  }

  /** Waits for the record of the process whose memory server is {@code node}. */
  ProcessHandle memberWith(String node) {
    return memberWithArgument("--node=" + node);
  }

  /** The same for another argument of its command line. */
  ProcessHandle memberWithArgument(String argument) {
    Waits.until("the record of a member with " + argument, () -> find(argument).isPresent(), this::logs);
    return find(argument).orElseThrow();
  }

  private Optional<ProcessHandle> find(String argument) {
    try {
      for (long pid : pids("MEMBER")) {
        Path commandLine = Path.of("/proc", Long.toString(pid), "cmdline");
        // Not from the ProcessHandle, which knows no arguments of a command line as long as this.
        if (Files.exists(commandLine) && List.of(Files.readString(commandLine).split("\0")).contains(argument)) {
          return ProcessHandle.of(pid);
        }
      }
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The state of the default block device, asked over HTTP. */
  JsonNode device() throws IOException, InterruptedException {
    JsonNode all = get("/weft/pager");
    JsonNode found = all.findValue("device default");
    if (found == null) {
      throw new IOException("no default device in " + all);
    }
    return found;
  }

  /** A page of HTTP inspection. */
  JsonNode get(String path) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(http() + path)).build();
      return new ObjectMapper().readTree(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }
  }

  Path stateDirectory() {
    return states;
  }

  /** First NBD URI of the running fabric. */
  String nbd() throws IOException {
    for (Properties state : states()) {
      if (state.getProperty("kind").equals("UP")) {
        return state.getProperty("endpoints.pager").split(" ")[0];
      }
    }
    throw new IOException("no fabric is up");
  }

  /** Directory of the media driver that the running fabric has recorded. */
  Path recordedDriver() throws IOException {
    for (Properties state : states()) {
      if (state.getProperty("kind").equals("UP")) {
        return Path.of(state.getProperty("driver-directory"));
      }
    }
    throw new IOException("no fabric is up");
  }

  /** Base of the HTTP inspection of the JVM whose control plane is at {@code address}. */
  String http(String address) throws IOException {
    for (Properties state : states()) {
      if (state.getProperty("address").equals(address)) {
        return state.getProperty("http");
      }
    }
    throw new IOException("no JVM at " + address);
  }

  /** What who captures the JVM at {@code address} has to show. */
  String captureKey(String address) throws IOException {
    return states().stream().filter(state -> state.getProperty("address").equals(address)).findFirst().orElseThrow().getProperty("capture-key");
  }

  /** Control planes of the JVMs recorded as {@code kind}. */
  List<String> addresses(String kind) throws IOException {
    return states().stream().filter(state -> state.getProperty("kind").equals(kind)).map(state -> state.getProperty("address")).toList();
  }

  /** Control plane of the running fabric. */
  String address() throws IOException {
    for (Properties state : states()) {
      if (state.getProperty("kind").equals("UP")) {
        return state.getProperty("address");
      }
    }
    throw new IOException("no fabric is up");
  }

  /** Base of the running fabric's HTTP inspection. */
  String http() throws IOException {
    for (Properties state : states()) {
      if (state.getProperty("kind").equals("UP")) {
        return state.getProperty("http");
      }
    }
    throw new IOException("no fabric is up");
  }

  private List<Properties> states() throws IOException {
    List<Properties> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(states)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".properties")).sorted().toList()) {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file)) {
          properties.load(reader);
        } catch (NoSuchFileException ended) {
          continue; // Between the list and the look.
        }
        all.add(properties);
      }
    }
    return all;
  }

  /** Logs of the background processes, for messages. */
  String logs() throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.list(states)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".log")).sorted().toList()) {
        text.append("== ").append(file.getFileName()).append('\n').append(Files.readString(file)).append('\n');
      }
    }
    return text.toString();
  }

  /** The same where nothing may be thrown. */
  String logsOrReason() {
    try {
      return logs();
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  @Override
  public void close() throws IOException {
    if (!states().isEmpty()) {
      try {
        run("down");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    try (Stream<Path> files = Files.walk(states)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    }
    Waits.until("the media driver to go", DRIVER_ENDS_S, this::isDriverGone, this::driverDirectory);
  }

  /**
   * No other fabric shares it. It ends a little after the last JVM, by itself if one of them was killed: its lock stays until then, since a lock
   * that is new looks to it like a JVM that comes, and it would wait for that one.
   */
  private boolean isDriverGone() {
    if (Files.exists(driverDirectory())) {
      return false;
    }
    try {
      for (String ending : new String[] {".log", ".lock"}) {
        Files.deleteIfExists(Path.of(driverDirectory() + ending));
      }
      Files.deleteIfExists(driverDirectory().getParent());
      return true;
    } catch (DirectoryNotEmptyException notYet) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
