package dev.weft.fabric.subnet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A {@link FabricJvm} in a process of its own, driven over its standard streams. */
final class JvmProcess implements AutoCloseable {
  private final String name;
  private final Process process;
  private final PrintStream in;
  private final List<String> lines = new ArrayList<>();
  private int read;

  JvmProcess(String name, int port, int seedPort, Path driverDirectory, String... options) throws IOException {
    this.name = name;
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto",
        "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED",
        "-Dweft.fabric.cluster.media-driver.exit-when-unused-after=2s",
        // Nobody sends again here: on a starved machine a driver may not get a processor for longer than a packet waits by default.
        "-Dweft.fabric.switch.hoq-lifetime=20s", "-Dweft.fabric.trunk.undeliverable-after=20s",
        "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(options));
    command.addAll(List.of(FabricJvm.class.getName(),
        String.valueOf(port), String.valueOf(seedPort), driverDirectory.toString()));
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    in = new PrintStream(process.getOutputStream(), true);
    Thread reader = new Thread(this::collect, "output of " + name);
    reader.setDaemon(true);
    reader.start();
  }

  private void collect() {
    try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
      String line;
      while ((line = out.readLine()) != null) {
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      synchronized (lines) {
        lines.add("(output ended: " + e.getMessage() + ")");
      }
    }
  }

  Process process() {
    return process;
  }

  void tell(String command) {
    in.println(command);
  }

  /** Waits for a line, after those that were waited for before, that matches in full behind the prompt. */
  Matcher await(String pattern, int seconds) throws InterruptedException {
    Pattern compiled = Pattern.compile("> " + pattern);
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    synchronized (lines) {
      while (true) {
        while (read < lines.size()) {
          Matcher matcher = compiled.matcher(lines.get(read++));
          if (matcher.matches()) {
            return matcher;
          }
        }
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        if (leftMs <= 0) {
          throw new AssertionError(name + " did not say \"" + pattern + "\" within " + seconds + " s but:\n  "
              + String.join("\n  ", lines));
        }
        lines.wait(leftMs);
      }
    }
  }

  /** Asks again and again until the answer matches. */
  Matcher awaitAnswer(String question, String pattern, int seconds) throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    Pattern compiled = Pattern.compile(pattern);
    while (true) {
      tell(question);
      String answer = await(question + " (.*)", 10).group(1);
      Matcher matcher = compiled.matcher(answer);
      if (matcher.matches()) {
        return matcher;
      }
      if (System.nanoTime() > deadlineNs) {
        throw new AssertionError(name + " answered \"" + answer + "\" to " + question + " for " + seconds + " s, not \""
            + pattern + "\"");
      }
      Thread.sleep(100);
    }
  }

  @Override
  public void close() {
    try {
      if (process.isAlive()) {
        tell("quit");
        if (!process.waitFor(8, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
