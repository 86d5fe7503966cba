package dev.weft.dsm.mmu;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A process that is told what to do by lines, and answers each. */
final class ApplicationProcess implements AutoCloseable {
  private static final int ANSWER_SECONDS = 60;

  private final Process process;
  private final PrintStream in;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  private ApplicationProcess(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    process = builder.start();
    in = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().start(this::collect);
  }

  /** A JVM that runs {@link ApplicationMain}. */
  static ApplicationProcess java(Path directory) throws IOException, InterruptedException {
    ApplicationProcess application = new ApplicationProcess(jvm(ApplicationMain.class, directory.toString()));
    application.expect("ready");
    return application;
  }

  static List<String> jvm(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx64m", "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-XX:-CreateCoredumpOnCrash", "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
        "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
        "-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  static ApplicationProcess of(List<String> command) throws IOException {
    return new ApplicationProcess(command);
  }

  private void collect() {
    try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      lines.add("(output ended: " + e.getMessage() + ")");
    }
    lines.add("(end)");
  }

  Process process() {
    return process;
  }

  void tell(String line) {
    in.println(line);
  }

  String answer() throws InterruptedException {
    String line = lines.poll(ANSWER_SECONDS, TimeUnit.SECONDS);
    if (line == null) {
      throw new AssertionError("no answer in " + ANSWER_SECONDS + " s");
    }
    return line;
  }

  String ask(String line) throws InterruptedException {
    tell(line);
    return answer();
  }

  /** Waits for this line; AssertionError if another one comes. */
  void expect(String line) throws InterruptedException {
    String seen = answer();
    if (!seen.equals(line)) {
      throw new AssertionError("it said \"" + seen + "\", must be \"" + line + "\"; then " + rest());
    }
  }

  /** What it says within a second from now, such as the rest of a traceback. */
  private List<String> rest() throws InterruptedException {
    List<String> rest = new ArrayList<>();
    for (String next = lines.poll(1, TimeUnit.SECONDS); next != null; next = lines.poll(1, TimeUnit.SECONDS)) {
      rest.add(next);
    }
    return rest;
  }

  /** Waits for this line, whatever comes before. */
  void await(String line) throws InterruptedException {
    for (String seen = answer(); !seen.equals(line); seen = answer()) {
      if (seen.equals("(end)")) {
        throw new AssertionError("it ended without saying \"" + line + "\"");
      }
    }
  }

  void ok(String line) throws InterruptedException {
    tell(line);
    expect("ok");
  }

  /** A signal, by its name. */
  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Whether all its threads have been stopped by a signal, which takes until each of them is in the kernel. */
  boolean isStopped() {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      for (Path thread : threads.toList()) {
        String state = Files.readString(thread.resolve("stat"));
        if (!state.startsWith("T", state.lastIndexOf(')') + 2)) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
