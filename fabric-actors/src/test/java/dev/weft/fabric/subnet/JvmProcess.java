package dev.weft.fabric.subnet;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.rules.Waits;
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
  Matcher await(String pattern) {
    Pattern compiled = Pattern.compile("> " + pattern);
    return Waits.seen(name + " to say \"" + pattern + "\"", () -> next(compiled), Answer::isThere).matcher;
  }

  /** What has been said so far, for messages, and the match if there is one. */
  private record Answer(Matcher matcher, String said) {
    boolean isThere() {
      return matcher != null;
    }
  }

  private Answer next(Pattern pattern) {
    synchronized (lines) {
      while (read < lines.size()) {
        Matcher matcher = pattern.matcher(lines.get(read++));
        if (matcher.matches()) {
          return new Answer(matcher, "");
        }
      }
      return new Answer(null, String.join("\n  ", lines));
    }
  }

  /** Asks again and again until the answer matches. */
  Matcher awaitAnswer(String question, String pattern) {
    Pattern compiled = Pattern.compile(pattern);
    String answer = Waits.seenSeldom(name + " to answer \"" + pattern + "\" to " + question, () -> {
      tell(question);
      return await(question + " (.*)").group(1);
    }, said -> compiled.matcher(said).matches());
    Matcher matcher = compiled.matcher(answer);
    assertTrue(matcher.matches());
    return matcher;
  }

  @Override
  public void close() {
    try {
      if (process.isAlive()) {
        tell("quit");
        if (!process.waitFor(20, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
